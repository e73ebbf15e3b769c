import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Driver } from './other-page.ts'

const driverProgram = '/usr/bin/WebKitWebDriver'
const display = '/usr/bin/Xvfb'
const miniBrowser = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').at(-1)

/** Whether this machine has WebKitGTK, its driver, and a display without a screen. */
export const hasWebKit = [driverProgram, display, miniBrowser ?? ''].every((file) => existsSync(file))

/** Starts WebKitGTK on a display of its own. Speaks WebDriver (https://www.w3.org/TR/webdriver2/) with it. */
export async function launchWebKit(): Promise<Driver> {
  const home = await mkdtemp(path.join(tmpdir(), 'coffer-webkit-'))
  // Without animations: the driver gets no answer to a click that starts a transition of the whole page.
  await mkdir(path.join(home, 'gtk-3.0'))
  await writeFile(path.join(home, 'gtk-3.0/settings.ini'), '[Settings]\ngtk-enable-animations=0\n')
  const screen = spawn(display, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [number] = await once(screen.stdio[3] as NodeJS.ReadableStream, 'data')
  const port = await freePort()
  const program = spawn(driverProgram, [`--port=${port}`, '--host=127.0.0.1'], {
    env: {
      ...process.env,
      ...{ HOME: home, XDG_CONFIG_HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: `:${String(number).trim()}` },
      // There is neither a graphics card nor a desktop.
      ...{ LIBGL_ALWAYS_SOFTWARE: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1', NO_AT_BRIDGE: '1' },
      ...{ WEBKIT_DISABLE_DMABUF_RENDERER: '1', GDK_BACKEND: 'x11', GSETTINGS_BACKEND: 'memory' },
    },
    stdio: 'ignore',
  })
  const call = callsTo(`http://127.0.0.1:${port}`)
  const options = { binary: miniBrowser, args: ['--automation'] }
  await untilReady(call, program)
  const { sessionId } = (await call('POST', '/session', {
    capabilities: { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options } },
  })) as { sessionId: string }
  const session = (method: string, at: string, body?: object) =>
    call(method, `/session/${sessionId}${at}`, body)
  await session('POST', '/window/rect', { x: 0, y: 0, width: 1280, height: 900 })
  return {
    goto: async (url) => {
      await session('POST', '/url', { url })
    },
    call: async (source, args) => {
      const script = `const [args, done] = arguments
        Promise.resolve().then(() => (${source})(...JSON.parse(args))).then(
          (value) => done({ json: JSON.stringify(value) }),
          (error) => done({ error: String(error) }))`
      const body = { script, args: [JSON.stringify(args)] }
      const reply = (await session('POST', '/execute/async', body)) as { json?: string; error?: string }
      if (reply.error !== undefined) throw new Error(reply.error)
      return reply.json === undefined ? undefined : JSON.parse(reply.json)
    },
    perform: async (actions) => {
      await session('POST', '/actions', { actions })
    },
    screenshot: async () => Buffer.from((await session('GET', '/screenshot')) as string, 'base64'),
    close: async () => {
      await session('DELETE', '').catch(() => undefined)
      await end(program)
      await end(screen)
      await rm(home, { recursive: true, force: true })
    },
  }
}

type Call = (method: string, at: string, body?: object) => Promise<unknown>

function callsTo(address: string): Call {
  return async (method, at, body) => {
    const response = await fetch(address + at, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } | null }
    if (!response.ok) throw new Error(`${at}: ${value?.error}: ${value?.message}`)
    return value
  }
}

/** The driver does not say when it listens. */
async function untilReady(call: Call, program: ChildProcess): Promise<void> {
  while (!(await call('GET', '/status').catch(() => undefined))) {
    if (program.exitCode !== null) throw new Error('WebKitWebDriver has ended')
    await pause(20)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
