import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { hasSandbox } from '#src/testing/sandbox.ts'
import { portOf, startCoffer } from '../bench/coffer.ts'
import { find, start } from '../bench/run.ts'
import { fillFolder, fillWebsite } from './content.ts'
import type { Links } from './stage.ts'

/** The password of the share that has one. */
export const lockedPassword = 'a password of a share'

/** The servers of the screens. */
export interface Instances {
  readonly address: string
  readonly links: Links
  /** The token of the administrator of each server, by its address. */
  readonly tokens: ReadonlyMap<string, string>
}

/** Starts the servers whose pages are photographed, with folders, shares, users, kept contents and places. */
export async function startInstances(folder: string): Promise<Instances> {
  const root = join(folder, 'root')
  await fillFolder(root)
  const free = (await hasSandbox()) ? [] : ['--exec-without-sandbox']
  const more = ['--database', join(folder, 'state.json'), '--enable-exec', ...free]
  const { port, headers } = await startCoffer(root, undefined, more)
  const address = `http://127.0.0.1:${port}`
  const call = callerOf(address, headers['X-Auth'])
  const shares = await fillState(call)
  const site = await startWebsite(join(folder, 'site'))
  const tokens = new Map([[address, headers['X-Auth']]])
  if (site) tokens.set(site.address, site.token)
  const setup = await startWithoutAdministrator(join(folder, 'setup'))
  const at = (hash: string) => `${address}/share/${hash}`
  const [share = '', locked = '', picture = ''] = shares.map(at)
  return { address, links: { share, locked, picture, setup, site: site?.address }, tokens }
}

type Call = (method: string, path: string, body?: object | string) => Promise<Response>

const callerOf =
  (address: string, token: string): Call =>
  async (method, path, body) => {
    const response = await fetch(address + path, {
      method,
      headers: { 'X-Auth': token },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }

/** Creates what the screens show besides files. Returns the ids of three shares. */
async function fillState(call: Call): Promise<string[]> {
  const share = async (path: string, body: object) =>
    ((await (await call('POST', `/api/share/${path}`, body)).json()) as { hash: string }).hash
  const shares = [
    await share('Photos', {}),
    await share('Letters', { password: lockedPassword, expires: '30', unit: 'days' }),
    await share('Photos/IMG_2042.jpg', {}),
  ]
  await call('PUT', '/api/settings', { signup: true, createUserDir: true })
  const administrator = { what: 'user', which: ['commands'], data: { id: 1, commands: ['ls'] } }
  await call('PUT', '/api/users/1', administrator)
  const rules = [{ allow: false, path: '/Contracts', regex: false, regexp: null }]
  const data = { username: 'ann', password: 'another long passphrase', scope: '/', rules }
  await call('POST', '/api/users', { what: 'user', which: [], data })
  for (const text of ['Dear Ann,\nsecond\n', 'Dear Ann,\nthird\nand last\n'])
    await call('PUT', '/api/resources/Letters/letter.txt', text)
  for (const name of ['old.txt', 'older.txt']) {
    await call('POST', `/api/resources/${name}`, 'x')
    await call('DELETE', `/api/resources/${name}`)
  }
  for (const path of ['Photos/IMG_2042.jpg', 'Letters']) await call('PUT', `/api/starred/${path}`)
  for (const path of ['notes.txt', 'Plan.md']) await call('POST', `/api/recent/${path}`)
  return shares
}

/** A server on a website. Undefined without Hugo. */
async function startWebsite(folder: string): Promise<{ address: string; token: string } | undefined> {
  if (!(await find('hugo'))) return undefined
  await fillWebsite(join(folder, 'root'))
  const more = ['--database', join(folder, 'state.json'), '--staticgen', 'hugo']
  const { port, headers } = await startCoffer(join(folder, 'root'), undefined, more)
  return { address: `http://127.0.0.1:${port}`, token: headers['X-Auth'] }
}

async function startWithoutAdministrator(folder: string): Promise<string> {
  await mkdir(join(folder, 'root'), { recursive: true })
  const where = ['--root', join(folder, 'root'), '--database', join(folder, 'state.json')]
  const flags = [...where, '--address', '127.0.0.1', '--port', '0', '--log', '']
  const child = start(process.execPath, [resolve('src/cli/main.ts'), ...flags], { stdout: 'pipe' })
  return `http://127.0.0.1:${await portOf(child)}`
}
