import { ApiProblem, addressOf, api } from './client.ts'

/** How a command ended: `exit 0`, `signal SIGTERM`, `refused`; empty if the connection was lost. */
export type CommandEnd = string

/**
 * Runs one command in the folder at `path` and calls `onLine` with each line of its output. Aborting `signal` stops it.
 *
 * @throws ApiProblem when the server refuses or cannot be reached.
 */
export async function runCommand(
  path: string,
  command: string,
  { onLine, signal }: { onLine: (line: string) => void; signal: AbortSignal },
): Promise<CommandEnd> {
  const { ticket } = await api('POST /api/ticket', { body: { action: 'command', path } })
  const address = new URL(addressOf('/api/command/*', { '*': path }, { auth: ticket }), location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  const socket = new WebSocket(address)
  const { promise, resolve, reject } = Promise.withResolvers<CommandEnd>()
  let isOpen = false
  socket.addEventListener('open', () => {
    isOpen = true
    socket.send(command)
  })
  socket.addEventListener('message', ({ data }) => onLine(String(data)))
  socket.addEventListener('close', ({ reason }) => {
    if (isOpen) resolve(reason)
    else reject(new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', 'no socket'))
  })
  signal.addEventListener('abort', () => socket.close())
  if (signal.aborted) socket.close()
  return promise
}
