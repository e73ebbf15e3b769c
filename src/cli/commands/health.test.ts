import { execFileSync } from 'node:child_process'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openFolder } from '#src/testing/other-user.ts'
import { password, run, serve } from '#src/testing/program.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { until } from '#src/testing/wire.ts'

async function health(t: Test, ...flags: string[]) {
  const checked = run(t, 'health', ...flags)
  return { code: await checked.ended, said: checked.said() }
}

t.test(
  'coffer health ends with 0 while the server responds, and with 1 and a reason when it does not',
  async (t) => {
    const root = path.join(t.testdir({ files: {} }), 'files')
    const { port, child, ended } = await serve(t, root, '--password', password, '--baseurl', '/f')
    const flags = ['--port', String(port), '--baseurl', '/f']
    t.match(await health(t, ...flags), { code: 0, said: `Coffer responds at http://127.0.0.1:${port}/f/.\n` })
    child.kill('SIGTERM')
    await ended
    t.match(await health(t, ...flags), {
      code: 1,
      said: `Coffer does not respond at http://127.0.0.1:${port}/f/: ECONNREFUSED.\n`,
    })
    t.match(await health(t, '--port', '0'), { code: 2, said: /needs the port/ })
  },
)

t.test(
  'coffer health asks a server on a Unix socket, and one with a certificate for another name',
  async (t) => {
    const folder = t.testdir({ files: {} })
    const root = path.join(folder, 'files')
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    const words = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '9',
    ]
    const files = ['-subj', '/CN=files.example', '-keyout', key, '-out', cert]
    execFileSync(systemTool('openssl'), [...words, ...files], { stdio: 'ignore' })
    const secure = ['--cert', cert, '--key', key]
    const { port, child, ended } = await serve(t, root, '--password', password, ...secure)
    t.match(await health(t, '--port', String(port), ...secure), { code: 0, said: /https:\/\/127\.0\.0\.1/ })
    child.kill('SIGTERM')
    await ended
    // The path of a socket has at most 107 bytes.
    const socket = path.join(openFolder(t), 's')
    const server = run(t, '--root', root, '--socket', socket)
    await until(() => {
      if (server.child.exitCode !== null) throw new Error(server.said())
      return server.said().includes('Coffer serves ') || undefined
    })
    t.match(await health(t, '--socket', socket), { code: 0, said: `Coffer responds at ${socket}.\n` })
  },
)
