import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'

/** A request that a receiver of webhooks got. */
export interface ReceivedHook {
  method: string | undefined
  url: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

type Answer = (response: ServerResponse, hook: ReceivedHook) => void

/** Starts a receiver of webhooks on this machine. `answer` may be replaced between requests. */
export async function receiveHooks(t: Test, answer: Answer = (response) => response.writeHead(204).end()) {
  const hooks: ReceivedHook[] = []
  const receiver = { hooks, answer, url: '', port: 0, active: 0, mostActive: 0 }
  const server = createServer(async (request, response) => {
    receiver.mostActive = Math.max(receiver.mostActive, ++receiver.active)
    response.on('close', () => receiver.active--)
    const { method, url, headers } = request
    const hook = { method, url, headers, body: (await buffer(request)).toString() }
    hooks.push(hook)
    receiver.answer(response, hook)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  receiver.port = (server.address() as AddressInfo).port
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`
  return receiver
}

/** Whether a hook has the signature of Standard Webhooks 1.0.0, computed as a receiver does. */
export function isSigned({ headers, body }: ReceivedHook, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`
  return key.length === 32 && headers['webhook-signature'] === expected
}
