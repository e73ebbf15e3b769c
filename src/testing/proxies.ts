import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Test } from 'tap'
import { killAfter } from './kill-after.ts'
import { systemTool } from './system-tool.ts'
import { until } from './wire.ts'

/** Finds a program of the system, also where servers are installed. Undefined: it is not installed. */
function find(name: 'nginx' | 'caddy'): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, systemTool(name))).find((file) => existsSync(file))
}

/** Returns a port of this machine that nothing uses. */
export async function freePort(): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  free.close()
  await once(free, 'close')
  return port
}

/**
 * Starts a real nginx that listens on `port`. Returns its address; undefined if nginx is not installed.
 *
 * @param http the content of its `http` block
 */
export async function startNginx(t: Test, http: string, port: number): Promise<string | undefined> {
  const program = find('nginx')
  if (!program) return undefined
  const folder = await createFolder(t)
  const at = (name: string) => join(folder, name)
  await mkdir(at('temp'))
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${at('temp')}/${name};`,
  )
  const config = `
    daemon off; master_process off; pid ${at('pid')}; error_log ${at('log')};
    events {}
    http { access_log off; ${temp.join(' ')} ${http} }`
  await writeFile(at('nginx.conf'), config)
  return run(t, [program, '-p', folder, '-c', at('nginx.conf')], { folder, port })
}

/**
 * Starts a real Caddy that listens on `port`. Returns its address; undefined if Caddy is not installed.
 *
 * @param sites its sites
 */
export async function startCaddy(t: Test, sites: string, port: number): Promise<string | undefined> {
  const program = find('caddy')
  if (!program) return undefined
  const folder = await createFolder(t)
  const file = join(folder, 'Caddyfile')
  await writeFile(file, `{\n  admin off\n  auto_https off\n}\n${sites}`)
  return run(t, [program, 'run', '--adapter', 'caddyfile', '--config', file], { folder, port })
}

/** Not in the fixture of the test, because a second call would empty it. */
async function createFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-proxy-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

async function run(
  t: Test,
  [program = '', ...words]: readonly string[],
  { folder, port }: { folder: string; port: number },
): Promise<string> {
  const { PATH } = process.env
  const env = { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(program, words, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  killAfter(t, child)
  await until(() => {
    const log = join(folder, 'log')
    if (child.exitCode !== null) throw new Error(existsSync(log) ? readFileSync(log, 'utf8') : said)
    return isListening(port)
  })
  return `http://127.0.0.1:${port}`
}

/** Whether a server listens on a port of this machine. */
async function isListening(port: number): Promise<boolean> {
  const peer = connect(port, '127.0.0.1')
  try {
    await once(peer, 'connect')
    return true
  } catch {
    return false
  } finally {
    peer.destroy()
  }
}
