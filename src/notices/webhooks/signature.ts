import { createHmac, randomBytes } from 'node:crypto'

/** Makes a secret of Standard Webhooks 1.0.0: `whsec_` and base64 of 32 bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/**
 * The headers of an attempt, as Standard Webhooks 1.0.0 wants them.
 *
 * @param message.time of the attempt, in milliseconds since 1970
 */
export function signedHeaders(
  secret: string,
  { id, time, body }: { id: string; time: number; body: Buffer },
): Record<string, string> {
  const seconds = String(Math.floor(time / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}
