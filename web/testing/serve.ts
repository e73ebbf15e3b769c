import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'

/** The user that every test signs in as. */
export const testUser = { name: 'ann', password: 'a long enough passphrase' }

/** The argon2id hash of this password with the lowest cost, because each test signs in. */
const cheapHash =
  '$argon2id$v=19$m=8,t=1,p=1$WqEoQCs0mn7bm5/JdYww1w$8SFARCVCaQ6fpPl3WV9X8l/FpEN14PQtqWmQYCU6xJY'

/** Adds the flag that is needed if no sandbox can be made on this machine. */
async function sandboxFlags(words: readonly string[]): Promise<string[]> {
  if (!words.includes('--enable-exec') || words.includes('--exec-without-sandbox')) return []
  const { hasSandbox } = await import('#src/testing/sandbox.ts')
  return (await hasSandbox()) ? [] : ['--exec-without-sandbox']
}

// A server uses the port of the one before in this process, so that the browser has the code of the page already.
let freePort = 0

/**
 * Starts the server on `root`, with the same code as the executable but in this process, because a process of its own takes
 * two seconds. Returns its address. The server ends with the test. Needs `web/dist`, which `npm test` builds.
 *
 * @param more flags besides those for the root, the port, the state and the first user
 */
export async function serve(t: Test, root: string, more: readonly string[] = []): Promise<string> {
  const [{ loadConfig }, { start: startServer }, { createLog }] = await Promise.all([
    import('#src/config/load.ts'),
    import('#src/start/main.ts'),
    import('#src/core/log/log.ts'),
  ])
  // Not beside the root, where it would lie in the fixture of the next run.
  const state = await mkdtemp(path.join(tmpdir(), 'coffer-'))
  const port = freePort
  freePort = 0
  const own = ['--root', root, '--port', String(port), '--database', `${state}/state.json`]
  const user = ['--username', testUser.name, '--password', cheapHash]
  const config = await loadConfig([...own, ...user, ...more, ...(await sandboxFlags(more))], {})
  const log = createLog({ target: '', format: 'text' })
  const server = await startServer({ ...config, stopTimeoutMs: 0 }, { log, print: () => {} })
  t.teardown(async () => {
    await server.close()
    freePort = Number(new URL(server.url).port)
    await rm(state, { recursive: true })
  })
  return server.url.replace(/\/$/, '')
}
