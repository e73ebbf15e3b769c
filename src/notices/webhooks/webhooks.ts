import type { Delivery, WebhookView } from '#contract/notices/webhook.ts'
import type { Clock } from '#src/core/clock.ts'
import { createRateLimiter } from '#src/core/concurrency/rate-limiter.ts'
import type { Database } from '#src/core/database/database.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { Outcome, Sender } from '../deliveries/deliveries.ts'
import {
  againStatement,
  type DeliveryRow,
  deliveryStatements,
  readDeliveries,
  removedStatement,
  turnedOffStatement,
} from '../deliveries/delivery-rows.ts'
import { type AddressCheck, urlFault } from './allowed-addresses.ts'
import type { createWebhookSender } from './send-webhook.ts'
import { newSecret } from './signature.ts'
import {
  faultStatement,
  readWebhook,
  secretStatement,
  type WebhookRow,
  webhookRemoved,
  webhookStatement,
} from './webhook-rows.ts'

interface WebhooksOptions {
  database: Pick<Database, 'read' | 'write'>
  clock: Clock
  check: AddressCheck
  post: ReturnType<typeof createWebhookSender>
  /** Tells a user that the webhook was turned off. */
  onTurnedOff(user: number, about: { url: string; fault: 'gone' | 'failed' }): Promise<void>
}

const mostShown = 50
/** Tests and repetitions of a user per second, after a burst of some. */
const sendsPerSecond = 0.25

/** The webhooks of the users, each at most one. */
export function createWebhooks({ database, clock, check, post, onTurnedOff }: WebhooksOptions) {
  const rate = createRateLimiter(sendsPerSecond, clock)

  async function enabledOf(user: number): Promise<WebhookRow> {
    const row = await readWebhook(database, user)
    if (row?.is_on !== 1) throw new Problem('webhook.unknown')
    return row
  }

  async function view(user: number): Promise<WebhookView> {
    const row = await readWebhook(database, user)
    const deliveries = await readDeliveries(database, { user, channel: 'webhook', limit: mostShown })
    return {
      url: row?.url ?? '',
      enabled: row?.is_on === 1,
      ...(row?.fault && { fault: row.fault }),
      deliveries: deliveries.map(deliveryView),
    }
  }

  async function turnOff(user: number, url: string, fault: 'gone' | 'failed'): Promise<void> {
    const [rows = []] = await database.write([faultStatement(user, url, fault)])
    // The user has set another address meanwhile.
    if (rows.length === 0) return
    await database.write([turnedOffStatement(user, 'webhook')])
    await onTurnedOff(user, { url, fault })
  }

  return {
    view,
    sender: createSender({ database, post, turnOff }),

    /**
     * Sets the address. The first time it makes the secret, which only this response has.
     *
     * @param given.url empty: removes the webhook
     * @throws Problem `request.invalid` for an address that is not allowed.
     */
    async set(user: number, { url, enabled }: { url: string; enabled: boolean }): Promise<WebhookView> {
      const written = url.trim()
      if (written === '') {
        await database.write([webhookRemoved(user), removedStatement(user, 'webhook')])
        return view(user)
      }
      const reason = urlFault(written, check)
      if (reason !== undefined) throw new Problem('request.invalid', { field: 'url', reason })
      const before = await readWebhook(database, user)
      const secret = before?.secret ?? newSecret()
      const row: WebhookRow = { url: new URL(written).href, secret, is_on: enabled ? 1 : 0, fault: '' }
      const off = enabled ? [] : [turnedOffStatement(user, 'webhook')]
      await database.write([webhookStatement(user, row), ...off])
      return { ...(await view(user)), ...(!before && { secret }) }
    },

    /** Replaces the secret. The old one is not valid any more. @throws Problem `webhook.unknown`. */
    async renewSecret(user: number): Promise<string> {
      const secret = newSecret()
      const [rows = []] = await database.write([secretStatement(user, secret)])
      if (rows.length === 0) throw new Problem('webhook.unknown')
      return secret
    },

    /** Stores a test event, due now. Returns its id. @throws Problem `webhook.unknown`, `request.limited`. */
    async test(user: number): Promise<string> {
      await enabledOf(user)
      rate.take(String(user))
      const [id, type, time] = [randomId(), 'webhook.test', clock()]
      const body = JSON.stringify({ type, timestamp: new Date(time).toISOString(), data: {} })
      await database.write(deliveryStatements(user, 'webhook', { id, type, time, body }, time))
      return id
    },

    /** Lets a delivery be sent again. @throws Problem `webhook.unknown`, `request.limited`. */
    async resend(user: number, id: string): Promise<void> {
      await enabledOf(user)
      rate.take(String(user))
      const [rows = []] = await database.write([againStatement(user, 'webhook', id, clock())])
      if (rows.length === 0) throw new Problem('webhook.unknown')
    },
  }
}

interface SenderTools extends Pick<WebhooksOptions, 'database' | 'post'> {
  turnOff(user: number, url: string, fault: 'gone' | 'failed'): Promise<void>
}

function createSender({ database, post, turnOff }: SenderTools): Sender {
  return {
    accepts: async (user) => (await readWebhook(database, user))?.is_on === 1,

    async send({ user, id, body }, signal) {
      const row = await readWebhook(database, user)
      if (row?.is_on !== 1) return { result: 'failed', reason: 'off' }
      const answer = await post(row, { id, body }, signal)
      return { ...outcomeOf(answer), target: row.url }
    },

    async onGivenUp({ user }, { status, target }) {
      if (target) await turnOff(user, target, status === 410 ? 'gone' : 'failed')
    },
  }
}

function outcomeOf(answer: Awaited<ReturnType<WebhooksOptions['post']>>): Outcome {
  if (answer.status === undefined) return { result: 'again', reason: answer.reason }
  const { status, waitMs } = answer
  if (status >= 200 && status < 300) return { result: 'done', status }
  if (status === 410) return { result: 'failed', status, reason: 'status' }
  // Only of answers that ask for patience. Others could delay their failure for days.
  const isBusy = [429, 502, 503, 504].includes(status)
  return { result: 'again', status, reason: 'status', waitMs: isBusy ? waitMs : undefined }
}

function deliveryView({ id, type, time, state, attempts, status, reason, due }: DeliveryRow): Delivery {
  return {
    id,
    type,
    time: new Date(time).toISOString(),
    state,
    attempts,
    ...(status !== null && { status }),
    // Coffer has written it.
    ...(reason !== '' && { reason: reason as NonNullable<Delivery['reason']> }),
    ...(state === 'waiting' && { next: new Date(due).toISOString() }),
  }
}
