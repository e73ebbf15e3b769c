import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import {
  attemptStatement,
  type Channel,
  type DeliveryRow,
  deliveryStatements,
  type NewDelivery,
  nextDelivery,
} from './delivery-rows.ts'
import { nextDelay, retryDelays } from './retries.ts'

/** What became of an attempt. */
export interface Outcome {
  result: 'done' | 'again' | 'failed'
  /** The HTTP status of the response. */
  status?: number | null | undefined
  /** Why it failed. */
  reason?: string
  /** Where it was sent to. */
  target?: string
  /** When the receiver wants the next attempt, in milliseconds from now. */
  waitMs?: number | undefined
}

/** Sends the deliveries of one channel. */
export interface Sender {
  /** Whether the user gets deliveries on this channel now. */
  accepts(user: number): Promise<boolean>
  /** Makes one attempt. The signal aborts when the server stops. */
  send(delivery: DeliveryRow, signal: AbortSignal): Promise<Outcome>
  /** Called after the last attempt of a delivery has failed. */
  onGivenUp?(delivery: DeliveryRow, outcome: Outcome): Promise<void>
}

interface DeliveriesOptions {
  database: Pick<Database, 'read' | 'write'>
  clock: Clock
  log: Logger
  senders: Record<Channel, Sender>
}

/** Attempts at the same time, of all users. Each user has one. */
const mostAtOnce = 8
/** After an error of ours. */
const pauseMs = 60_000

/** Delivers notices, and tries again after failures. What waits is in the database, so that it survives a restart. */
export function createDeliveries({ database, clock, log, senders }: DeliveriesOptions) {
  const stopping = new AbortController()
  /** Attempts that run, by user. */
  const running = new Map<number, Promise<void>>()
  /** Users whose results could not be stored, and until when nothing is sent to them. */
  const paused = new Map<number, number>()
  let nextDue = Number.NEGATIVE_INFINITY
  let starting: Promise<void> | undefined
  let isAskedAgain = false

  /** What is due now, of a user without an attempt that runs. Undefined: nothing. */
  async function nextDueNow(): Promise<DeliveryRow | undefined> {
    for (const [user, until] of paused) if (until <= clock()) paused.delete(user)
    const next = await nextDelivery(database, [...running.keys(), ...paused.keys()])
    nextDue = Math.min(next?.due ?? Number.POSITIVE_INFINITY, ...paused.values())
    return next && next.due <= clock() ? next : undefined
  }

  const hasRoom = () => running.size < mostAtOnce && !stopping.signal.aborted

  /** Starts what is due, as far as there is room. */
  async function startDue(): Promise<void> {
    while (isAskedAgain) {
      isAskedAgain = false
      for (let next = hasRoom() && (await nextDueNow()); next; next = hasRoom() && (await nextDueNow()))
        begin(next)
    }
  }

  function begin(delivery: DeliveryRow): void {
    const attempt = run(delivery).finally(() => {
      running.delete(delivery.user)
      wake()
    })
    running.set(delivery.user, attempt)
  }

  function wake(): void {
    if (stopping.signal.aborted) return
    nextDue = Number.NEGATIVE_INFINITY
    isAskedAgain = true
    starting ??= startDue()
      .catch((err: unknown) => log.error({ err }, 'notices could not be delivered'))
      .finally(() => {
        starting = undefined
        // Asked after the last look at the database.
        if (isAskedAgain) wake()
      })
  }

  async function run(delivery: DeliveryRow): Promise<void> {
    const sender = senders[delivery.channel]
    try {
      const outcome = await sender.send(delivery, stopping.signal)
      // The next start tries again.
      if (stopping.signal.aborted && outcome.result !== 'done') return
      const next = afterAttempt(delivery, outcome, clock())
      await database.write([attemptStatement(delivery.id, next)])
      if (next.state === 'failed') await sender.onGivenUp?.(delivery, outcome)
    } catch (err) {
      if (stopping.signal.aborted) return
      log.error({ err }, 'a notice could not be delivered')
      await postpone(delivery)
    }
  }

  /** After an error of ours, which must not be repeated without a pause. */
  async function postpone({ id, user }: DeliveryRow): Promise<void> {
    const due = clock() + pauseMs
    const later = { state: 'waiting' as const, due, status: null, reason: '' }
    // On a full disk, the receiver would otherwise get the same message again and again.
    await database.write([attemptStatement(id, later)]).catch(() => paused.set(user, due))
  }

  return {
    /** The statements that store a delivery on each of these channels that the user has set up. */
    statements: (user: number, channels: readonly Channel[], payload: NewDelivery) =>
      statementsOf({ senders, now: clock() }, { user, channels, payload }),

    /** Starts what is due, in the background. */
    wake,

    /** Like `wake`, if something is due: does not ask the database otherwise. */
    wakeIfDue(): void {
      if (nextDue <= clock()) wake()
    },

    /** Waits until nothing runs and nothing is due. */
    async settled(): Promise<void> {
      while (starting || running.size > 0) await Promise.all([starting, ...running.values()])
    },

    /** Aborts what runs. The next start tries again. */
    async close(): Promise<void> {
      stopping.abort()
      await Promise.all([starting, ...running.values()])
    },
  }
}

async function statementsOf(
  { senders, now }: { senders: Record<Channel, Sender>; now: number },
  { user, channels, payload }: { user: number; channels: readonly Channel[]; payload: NewDelivery },
): Promise<Statement[]> {
  const found: Statement[] = []
  for (const [at, channel] of channels.entries()) {
    if (!(await senders[channel].accepts(user))) continue
    const id = at === 0 ? payload.id : `${payload.id}.${at}`
    found.push(...deliveryStatements(user, channel, { ...payload, id }, now))
  }
  return found
}

/** The state of a delivery after an attempt. */
function afterAttempt(
  { channel, attempts }: DeliveryRow,
  { result, status = null, reason = '', waitMs }: Outcome,
  now: number,
): Pick<DeliveryRow, 'state' | 'due' | 'status' | 'reason'> {
  if (result !== 'again') return { state: result, due: now, status, reason }
  const delay = nextDelay(retryDelays[channel], attempts + 1, waitMs)
  if (delay === undefined) return { state: 'failed', due: now, status, reason }
  return { state: 'waiting', due: now + delay, status, reason }
}

export type Deliveries = ReturnType<typeof createDeliveries>
