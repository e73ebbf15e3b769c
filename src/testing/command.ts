import type { start } from './start.ts'
import { listen } from './wire.ts'

/** The output of a command, and the reason in the close frame. */
export interface Output {
  said: string
  reason: string
}

/** Makes a started application listen. Returns a function that runs a command as a user and returns its output. */
export async function createCommandRunner({
  app,
  login,
}: Pick<Awaited<ReturnType<typeof start>>, 'app' | 'login'>) {
  const port = await listen(app)
  const tokens = new Map<string, Promise<string>>()
  return async (name: string, command: string, path = '/'): Promise<Output> => {
    const token = tokens.get(name) ?? login(name)
    tokens.set(name, token)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/command${path}?auth=${await token}`)
    const output: string[] = []
    socket.addEventListener('open', () => socket.send(command))
    socket.addEventListener('message', ({ data }) => output.push(String(data)))
    const reason = await new Promise<string>((resolve) =>
      socket.addEventListener('close', ({ reason }) => resolve(reason)),
    )
    return { said: output.join('\n'), reason }
  }
}
