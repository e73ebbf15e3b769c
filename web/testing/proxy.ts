import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { until } from '#src/testing/wire.ts'

const nginx = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((file) => existsSync(file))

/**
 * Starts a real nginx in front of the server at `url`. Returns its address; undefined if nginx is not installed.
 *
 * @param most a line of its configuration that limits request bodies; empty: nginx's default of 1 MiB
 */
export async function startNginx(t: Test, url: string, limit = ''): Promise<string | undefined> {
  if (!nginx) return undefined
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  free.close()
  await once(free, 'close')
  // Not in the fixture of the test, because a second call would empty it.
  const folder = await mkdtemp(path.join(tmpdir(), 'coffer-proxy-'))
  const at = (name: string) => path.join(folder, name)
  await mkdir(at('temp'))
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${at('temp')}/${name};`,
  )
  const config = `
    daemon off; master_process off; pid ${at('pid')}; error_log ${at('log')};
    events {}
    http {
      access_log off; ${temp.join(' ')} ${limit}
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${new URL(url).origin}; proxy_set_header Host $http_host; } }
    }`
  await writeFile(at('nginx.conf'), config)
  const child = spawn(nginx, ['-p', folder, '-c', at('nginx.conf')], { stdio: 'ignore' })
  t.teardown(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  await until(() => {
    if (child.exitCode !== null) throw new Error(readFileSync(at('log'), 'utf8'))
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
