// Connections that clients keep open.
import { connect, type Socket } from 'node:net'

/**
 * Opens a connection from one of several loopback addresses, because servers limit the connections of one address.
 * Sends a request to `/health`. Returns whether the answer had status 200, and false when the server closes first.
 */
export function getsResponse(port: number, localAddress: string, sockets: Socket[]): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('data', (data) => resolve(data.toString('latin1').startsWith('HTTP/1.1 200')))
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  })
}

/** Returns the loopback address of the client with this number. There are 8 addresses. */
export function addressOf(client: number): string {
  return `127.0.1.${1 + (client % 8)}`
}
