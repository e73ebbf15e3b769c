import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { work } from './bundle.ts'

const user = { username: 'admin', password: 'only for this short run' }

/**
 * Compiles what a start and the first requests of the server run: starts it on an empty folder, sends the requests of a
 * first visit, and stops it.
 *
 * @param bundle the file with the script of the server
 * @param how.assets the paths of all files in the executable, by their names there
 * @param how.flags the flags of V8 that the executable has
 * @returns the file with the compiled code, for the constructor of `vm.Script`. V8 accepts it only for the same bundle,
 *   version of Node, processor and flags.
 */
export async function compileCode(
  bundle: string,
  { assets, flags }: { assets: Readonly<Record<string, string>>; flags: readonly string[] },
): Promise<string> {
  const output = path.join(work, 'server.cache')
  const assetsFile = path.join(work, 'assets.json')
  await writeFile(assetsFile, JSON.stringify(assets))
  const folder = await mkdtemp(path.join(tmpdir(), 'coffer-build-'))
  try {
    const root = path.join(folder, 'root')
    await mkdir(root)
    const recorder = [...flags, path.resolve('scripts/build/record-code.ts'), bundle, assetsFile, output]
    const where = ['--root', root, '--address', '127.0.0.1', '--port', '0', '--log', '']
    const options = [...where, '--username', user.username, '--password', user.password]
    const child = spawn(process.execPath, [...recorder, ...options], {
      cwd: folder,
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    try {
      await visit(await urlOf(child.stdout))
    } finally {
      // The recorder stops the server then. Windows cannot ask a process to end by a signal.
      child.stdin.end()
    }
    const [code] = await ended
    if (code !== 0) throw new Error(`the server ended with ${code} while its code was compiled`)
    return output
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, url] = /^Coffer serves .* at (\S+)$/.exec(line) ?? []
    if (url) return url
  }
  throw new Error('the server ended before it listened')
}

/** Opens the page, signs in, uploads a file, lists the folder and reads the file. */
async function visit(url: string): Promise<void> {
  const call = async (at: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(at, url), { ...init, signal: AbortSignal.timeout(30_000) })
    if (!response.ok) throw new Error(`${at} was answered with ${response.status}`)
    return response.text()
  }
  const page = await call('login')
  for (const [, at = ''] of page.matchAll(/<script[^>]* src="([^"]+)"/g)) await call(at)
  const headers = { 'X-Auth': await call('api/login', { method: 'POST', body: JSON.stringify(user) }) }
  await call('api/resources/folder/', { method: 'POST', headers })
  await call('api/resources/folder/file.txt', { method: 'POST', headers, body: 'text' })
  await call('api/resources/', { headers })
  for (const at of ['api/resources/folder/file.txt', 'api/raw/folder/file.txt', 'api/raw/folder/?algo=zip'])
    await call(at, { headers })
}
