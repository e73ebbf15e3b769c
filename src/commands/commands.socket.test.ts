import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { type Person, start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'

const listed = ['ls', 'pwd', 'echo', 'cat', 'printf', 'seq', 'sh', 'sleep', 'env', 'yes', 'printenv']
const tree = { docs: { 'a b.txt': 'hello', deep: {} }, 'file.txt': 'x' }

/** A listening server with the command feature on, and people who may run commands. */
async function open(
  t: Test,
  { config = {}, people = {} }: { config?: Partial<Config>; people?: Record<string, Person> } = {},
) {
  const ann: Person = { perm: { execute: true }, commands: listed }
  const all = { ann, bob: { perm: { execute: false }, commands: listed }, ...people }
  const made = await start(t, { tree, people: all, config: { enableExec: true, ...config } })
  const port = await listen(made.app)
  return { ...made, port, ...lines(t, port, made.login) }
}

/** What came back on a socket, and how it was closed. */
interface Heard {
  said: string[]
  code: number
  reason: string
}

function lines(t: Test, port: number, login: (name: string) => Promise<string>) {
  const tokens = new Map<string, string>()
  const tokenOf = async (name: string) => {
    tokens.set(name, tokens.get(name) ?? (await login(name)))
    return tokens.get(name) ?? ''
  }

  /** Opens a socket in a folder; answers when it is open. */
  async function connect(path = '/', name = 'ann') {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/command${path}?auth=${await tokenOf(name)}`)
    t.teardown(() => socket.close())
    const heard: Heard = { said: [], code: 0, reason: '' }
    socket.addEventListener('message', ({ data }) => heard.said.push(String(data)))
    const closed = new Promise<Heard>((resolve) =>
      socket.addEventListener('close', ({ code, reason }) => resolve({ ...heard, code, reason })),
    )
    await new Promise((resolve) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('close', resolve)
    })
    return { socket, heard, closed }
  }

  /** Runs one command and answers all that came. */
  async function run(command: string, path = '/', name = 'ann'): Promise<Heard> {
    const { socket, closed } = await connect(path, name)
    socket.send(command)
    return closed
  }

  return { connect, run, tokenOf }
}

t.test('a listed program runs in the folder, and each line of its output is a message', async (t) => {
  const { run, root } = await open(t)
  t.strictSame(await run('ls', '/docs/'), { said: ['a b.txt', 'deep'], code: 1000, reason: 'exit 0' })
  t.strictSame((await run('pwd', '/docs/deep')).said, [join(root, 'docs/deep')])
  t.strictSame((await run('pwd', '')).said, [root])
  t.match(await run('sh -c "echo out; echo err >&2; exit 3"'), {
    said: new Set(['out', 'err']),
    reason: 'exit 3',
  })
})
