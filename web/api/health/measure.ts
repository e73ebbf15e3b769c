import { ApiProblem, addressOf, api, connection, headers, refusal } from '../client.ts'

// The page measures the proxies between this browser and the server with the same kinds of request that it uses itself.

/**
 * Sends a body that the server discards. Returns whether it has arrived.
 *
 * @throws ApiProblem for another reason than the size of the body.
 */
export async function sendsBody(bytes: number, signal: AbortSignal): Promise<boolean> {
  try {
    await api('POST /api/doctor/probe', undefined, { bytes: new Blob([new Uint8Array(bytes)]), signal })
    return true
  } catch (error) {
    // Some proxies close the connection instead of sending a response.
    const isTooLarge = error instanceof ApiProblem && (error.status === 413 || error.code === 'network.lost')
    if (isTooLarge && !signal.aborted) return false
    throw error
  }
}

/**
 * Reads a response whose lines are sent one by one. Returns when each part of it arrived, in milliseconds.
 *
 * @throws ApiProblem when the server refuses or cannot be reached.
 */
export async function streamTimes(signal: AbortSignal): Promise<number[]> {
  const lost = (error: Error) => {
    throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', error.message)
  }
  const { token } = connection
  const response = await fetch(addressOf('/api/doctor/stream'), { headers: headers(), signal }).catch(lost)
  if (!response.ok || !response.body) throw refusal(response.status, await response.text(), token)
  const reader = response.body.getReader()
  const times: number[] = []
  for (;;) {
    const { done } = await reader.read().catch(lost)
    if (done) return times
    times.push(performance.now())
  }
}

/**
 * Opens the socket of the command runner and closes it, without a command. Returns whether it could be opened.
 *
 * @throws ApiProblem when the server refuses the user.
 */
export async function opensSocket(signal: AbortSignal): Promise<boolean> {
  const { ticket } = await api('POST /api/ticket', { body: { action: 'command', path: '/' } }, { signal })
  const address = new URL(addressOf('/api/command/*', { '*': '/' }, { auth: ticket }), location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  const socket = new WebSocket(address)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.addEventListener('open', () => resolve(true))
  socket.addEventListener('close', () => resolve(false))
  signal.addEventListener('abort', () => socket.close())
  const isOpen = await promise
  socket.close()
  return isOpen
}
