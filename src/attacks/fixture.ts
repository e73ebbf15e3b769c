import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import type { Config } from '#src/config/config.ts'
import { errorLines } from '#src/testing/error-lines.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, listen, until } from '#src/testing/wire.ts'
import { faultsOf, logFaults } from './invariants.ts'
import { createClient, type TestResponse } from './line.ts'
import { canaries, manifest, outsideTree, pathsBelow, plant, tree, type UserName, users } from './world.ts'

/**
 * Starts a server that listens on a port, with users and files to attack. `row` runs one attack on fresh files and then
 * asserts the invariants: no secret was disclosed, no file of others was changed, the server is healthy.
 */
export async function openTarget(t: Test, { config = {} }: { config?: Partial<Config> } = {}) {
  const log = join(t.testdirName, 'coffer.log')
  const made = await start(t, { people: users, config: { log, ...config } })
  const port = await listen(made.app)
  const places = { root: made.root, outside: join(made.base, 'outside') }
  const line = createClient(port)
  const harness = { made, line, places }
  const lines = new Map<number | undefined, Socket>()
  made.app.server.on('connection', (socket: Socket) => lines.set(socket.remotePort, socket))

  return {
    ...made,
    ...places,
    ...line,
    port,
    /** Everything below a served folder, one line per entry, with a hash of its content. */
    manifest: (name: string) => manifest(join(places.root, name)),

    /** Replaces the rules of all users, or of one user. A plain path is denied. */
    async rules(
      owner: 'global' | keyof typeof users,
      rules: readonly (string | Partial<Rule>)[],
    ): Promise<void> {
      const written = rules.map((rule) => (typeof rule === 'string' ? { allow: false, path: rule } : rule))
      const { status, text } = await changeRules(harness, owner, written)
      if (status !== 200) throw new Error(text)
    },

    /** Creates a share as `who` and returns its id. */
    async share(path: string, json: object = {}, user: UserName = 'alice'): Promise<string> {
      const { status, text } = await line.ask(user, 'POST', `/api/share${path}`, { json })
      if (status !== 200) throw new Error(text)
      return (JSON.parse(text) as { hash: string }).hash
    },

    /**
     * Starts to read a response that is too large to be sent at once, then stops reading. Returns a function that waits
     * until the server closes the connection.
     */
    async startReading(t: Test, url: string, token = ''): Promise<() => Promise<unknown>> {
      const wire = await dial(t, port)
      wire.socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n${token && `X-Auth: ${token}\r\n`}\r\n`)
      await wire.until(/^HTTP\/1\.1 200 [\s\S]*?\r\n\r\n[\s\S]/)
      wire.socket.pause()
      const peer = lines.get(wire.socket.localPort)
      return () => until(() => peer?.destroyed)
    },

    /** The id of a user. */
    idOf: (name: string) => idOf(made, name),

    /** Changes settings of the instance as the administrator. */
    async settings(json: object): Promise<void> {
      const { status, text } = await line.ask('admin', 'PUT', '/api/settings', { json })
      if (status !== 200) throw new Error(text)
    },

    /** Advances the clock. Sessions may end by that, so every user signs in again. */
    advanceMinutes(minutes: number): void {
      made.clock.advance({ minutes })
      line.signOut()
    },

    /** Runs one attack: plants fresh files, calls `work`, asserts the invariants. */
    row: (title: string, work: (t: Test) => Promise<void>) =>
      t.test(title, async (t) => {
        plant(places.root, tree)
        plant(places.outside, outsideTree)
        const before = foreign(places)
        line.forget()
        await work(t)
        await assertUnharmed(t, harness, before)
        await changeRules(harness, 'global', [])
        await changeRules(harness, 'alice', [])
      }),
  }
}

export type Target = Awaited<ReturnType<typeof openTarget>>

interface Harness {
  made: Awaited<ReturnType<typeof start>>
  line: ReturnType<typeof createClient>
  places: { root: string; outside: string }
}

async function changeRules(
  { made, line }: Harness,
  owner: 'global' | keyof typeof users,
  rules: readonly Partial<Rule>[],
): Promise<TestResponse> {
  if (owner === 'global') return line.ask('admin', 'PUT', '/api/settings', { json: { rules } })
  const id = idOf(made, owner)
  return line.ask('admin', 'PUT', `/api/users/${id}`, {
    json: { what: 'user', which: ['rules'], data: { id, rules } },
  })
}

function idOf({ document }: Harness['made'], name: string): number {
  return Object.values(document.data.users).find(({ username }) => username === name)?.id ?? 0
}

/** Asserts the invariants that hold after every attack. */
async function assertUnharmed(t: Test, { made, line, places }: Harness, before: string[]): Promise<void> {
  const faults = faultsOf(line.responses(), { base: made.base, canaries: Object.values(canaries) })
  t.strictSame(faults, [], 'no secret and no path of the host was disclosed, and no request failed')
  t.strictSame(foreign(places), before, 'files outside and files of other users are unchanged')
  await until(() => !pathsBelow(made.base).some((path) => path.includes('/.coffer-part-')))
  const secrets = [...Object.values(canaries), password, await line.token('admin')]
  t.strictSame(logFaults(made.config.log, secrets), [])
  t.strictSame(errorLines(made.config.log), [])
  t.match(await line.ask('', 'GET', '/health'), { status: 200 }, 'the server is healthy')
}

/** The files that no attack may change. */
function foreign({ root, outside }: Harness['places']): string[] {
  return manifest(outside, join(root, 'bob'))
}

/** Asserts that a response has one of these statuses. */
export function isRefused(t: Test, { request, status, text }: TestResponse, statuses = [403, 404]): void {
  if (!statuses.includes(status)) {
    t.fail(`${request} responds with ${status}`, { expected: statuses, answered: text.slice(0, 200) })
  }
}
