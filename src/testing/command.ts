import type { start } from './start.ts'
import { listen } from './wire.ts'

/** What came back on the socket of a command, and how it was closed. */
export interface Heard {
  said: string
  reason: string
}

/** Lets a started application listen. Answers a function that runs a command as somebody and answers what it said. */
export async function commandLine({ app, login }: Pick<Awaited<ReturnType<typeof start>>, 'app' | 'login'>) {
  const port = await listen(app)
  const tokens = new Map<string, Promise<string>>()
  return async (name: string, command: string, path = '/'): Promise<Heard> => {
    const token = tokens.get(name) ?? login(name)
    tokens.set(name, token)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/command${path}?auth=${await token}`)
    const said: string[] = []
    socket.addEventListener('open', () => socket.send(command))
    socket.addEventListener('message', ({ data }) => said.push(String(data)))
    const reason = await new Promise<string>((resolve) =>
      socket.addEventListener('close', ({ reason }) => resolve(reason)),
    )
    return { said: said.join('\n'), reason }
  }
}
