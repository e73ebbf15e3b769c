import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Driver } from './other-page.ts'

const executable = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => existsSync(file))

/** Whether this machine has Firefox. */
export const hasFirefox = executable !== undefined

// No connections to other hosts, no questions, and no animations.
const preferences = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage': 'about:blank',
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': '',
  'toolkit.telemetry.server': '',
  'ui.prefersReducedMotion': 1,
}

/** Starts Firefox without a window. Speaks WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) with it. */
export async function launchFirefox(): Promise<Driver> {
  const profile = await mkdtemp(path.join(tmpdir(), 'coffer-firefox-'))
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  await writeFile(path.join(profile, 'user.js'), lines.join('\n'))
  const flags = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const size = { MOZ_HEADLESS_WIDTH: '1280', MOZ_HEADLESS_HEIGHT: '900' }
  const browser = spawn(executable ?? 'firefox', flags, {
    env: { ...process.env, ...size, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(browser, 'exit')
  const { send, close } = await connect(await addressIn(browser.stderr, ended))
  await send('session.new', { capabilities: {} })
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] }
  const context = contexts[0]?.context
  return {
    goto: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    call: async (source, args) => {
      const { result, exceptionDetails } = (await send('script.callFunction', {
        functionDeclaration: `async (args) => JSON.stringify(await (${source})(...JSON.parse(args)))`,
        arguments: [{ type: 'string', value: JSON.stringify(args) }],
        awaitPromise: true,
        target: { context },
      })) as { result?: { value?: string }; exceptionDetails?: { text: string } }
      if (exceptionDetails) throw new Error(exceptionDetails.text)
      return result?.value === undefined ? undefined : JSON.parse(result.value)
    },
    perform: async (actions) => {
      await send('input.performActions', { context, actions })
    },
    screenshot: async () => {
      const { data } = (await send('browsingContext.captureScreenshot', { context })) as { data: string }
      return Buffer.from(data, 'base64')
    },
    close: async () => {
      close()
      browser.kill()
      await ended
      await rm(profile, { recursive: true, force: true })
    },
  }
}

/** The address of the protocol, which the browser prints. */
async function addressIn(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  const found = new Promise<string>((resolve) => {
    createInterface({ input: output }).on('line', (line) => {
      const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? []
      if (address) resolve(`${address}/session`)
    })
  })
  const address = await Promise.race([found, ended.then(() => undefined)])
  if (!address) throw new Error('Firefox has ended')
  return address
}

interface Reply {
  id?: number
  result?: unknown
  message?: string
}

/** Sends commands and returns their results. */
async function connect(address: string) {
  const socket = new WebSocket(address)
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  socket.onmessage = ({ data }) => {
    const { id = -1, result, message } = JSON.parse(String(data)) as Reply
    if (message === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(message))
    waiting.delete(id)
  }
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has closed the connection'))
  }
  let nextId = 1
  return {
    send(method: string, params: object): Promise<unknown> {
      const id = nextId++
      const reply = Promise.withResolvers<unknown>()
      waiting.set(id, reply)
      socket.send(JSON.stringify({ id, method, params }))
      return reply.promise
    },
    close: () => socket.close(),
  }
}
