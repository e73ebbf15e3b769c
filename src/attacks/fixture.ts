import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import type { Config } from '#src/config/config.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, listen, until } from '#src/testing/wire.ts'
import { faultsOf, logFaults } from './invariants.ts'
import { type Answer, createLine } from './line.ts'
import { below, canaries, manifest, outsideTree, people, plant, tree, type Who } from './world.ts'

/**
 * A server that really listens, with people and files to attack, and `row`, which tries one attack on fresh files and
 * then asserts what holds after every attack: nothing secret was told, nothing foreign was touched, the server is well.
 */
export async function openTarget(t: Test, { config = {} }: { config?: Partial<Config> } = {}) {
  const log = join(t.testdirName, 'coffer.log')
  const made = await start(t, { people, config: { log, ...config } })
  const port = await listen(made.app)
  const places = { root: made.root, outside: join(made.base, 'outside') }
  const line = createLine(port)
  const harness = { made, line, places }
  const lines = new Map<number | undefined, Socket>()
  made.app.server.on('connection', (socket: Socket) => lines.set(socket.remotePort, socket))

  return {
    ...made,
    ...places,
    ...line,
    port,
    /** What is below a served folder, a line each with what it holds. */
    manifest: (name: string) => manifest(join(places.root, name)),

    /** Gives everybody, or one person, these rules and no others; a path alone is denied. */
    async rules(
      whose: 'global' | keyof typeof people,
      rules: readonly (string | Partial<Rule>)[],
    ): Promise<void> {
      const written = rules.map((rule) => (typeof rule === 'string' ? { allow: false, path: rule } : rule))
      const { status, text } = await changeRules(harness, whose, written)
      if (status !== 200) throw new Error(text)
    },

    /** Makes a link as `who` and answers its id. */
    async share(path: string, json: object = {}, who: Who = 'alice'): Promise<string> {
      const { status, text } = await line.ask(who, 'POST', `/api/share${path}`, { json })
      if (status !== 200) throw new Error(text)
      return (JSON.parse(text) as { hash: string }).hash
    },

    /**
     * Begins to take an answer that is too large to be sent at once, and takes no more of it. Answers a wait for the
     * server to cut it.
     */
    async begin(t: Test, url: string, token = ''): Promise<() => Promise<unknown>> {
      const wire = await dial(t, port)
      wire.socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n${token && `X-Auth: ${token}\r\n`}\r\n`)
      await wire.until(/^HTTP\/1\.1 200 [\s\S]*?\r\n\r\n[\s\S]/)
      wire.socket.pause()
      const peer = lines.get(wire.socket.localPort)
      return () => until(() => peer?.destroyed)
    },

    /** The id of an account. */
    idOf: (name: string) => idOf(made, name),

    /** Changes settings of the instance as the administrator. */
    async settings(json: object): Promise<void> {
      const { status, text } = await line.ask('admin', 'PUT', '/api/settings', { json })
      if (status !== 200) throw new Error(text)
    },

    /** Lets time pass; sessions may end meanwhile, so everybody signs in anew. */
    later(minutes: number): void {
      made.clock.advance({ minutes })
      line.signOut()
    },

    /** Tries one attack: plants fresh files, lets `work` attack, asserts the invariants. */
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
  line: ReturnType<typeof createLine>
  places: { root: string; outside: string }
}

async function changeRules(
  { made, line }: Harness,
  whose: 'global' | keyof typeof people,
  rules: readonly Partial<Rule>[],
): Promise<Answer> {
  if (whose === 'global') return line.ask('admin', 'PUT', '/api/settings', { json: { rules } })
  const id = idOf(made, whose)
  return line.ask('admin', 'PUT', `/api/users/${id}`, {
    json: { what: 'user', which: ['rules'], data: { id, rules } },
  })
}

function idOf({ store }: Harness['made'], name: string): number {
  return Object.values(store.data.users).find(({ username }) => username === name)?.id ?? 0
}

/** What holds after every attack (section 3 of the list of attacks). */
async function assertUnharmed(t: Test, { made, line, places }: Harness, before: string[]): Promise<void> {
  const faults = faultsOf(line.heard(), { base: made.base, canaries: Object.values(canaries) })
  t.strictSame(faults, [], 'nothing secret and nothing of the host was told, and nothing failed')
  t.strictSame(foreign(places), before, 'what is outside, and what is of others, is as it was')
  await until(() => !below(made.base).some((path) => path.includes('/.coffer-part-')))
  const secrets = [...Object.values(canaries), password, await line.token('admin')]
  t.strictSame(logFaults(made.config.log, secrets), [])
  t.match(await line.ask('', 'GET', '/health'), { status: 200 }, 'the server is well')
}

/** What nobody in an attack may change. */
function foreign({ root, outside }: Harness['places']): string[] {
  return manifest(outside, join(root, 'bob'))
}

/** Asserts that an answer has one of these statuses. */
export function isRefused(t: Test, { asked, status, text }: Answer, statuses = [403, 404]): void {
  if (!statuses.includes(status)) {
    t.fail(`${asked} answers ${status}`, { expected: statuses, answered: text.slice(0, 200) })
  }
}
