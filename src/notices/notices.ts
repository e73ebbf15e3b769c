import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import type { LinkEvents } from '#src/shares/use/link-events.ts'
import type { Store } from '#src/state/store.ts'
import { batchRemoved } from './batch-rows.ts'
import { type Batch, createBatches } from './batches.ts'
import { createBell } from './bell.ts'
import { createDeliveries, type Sender } from './deliveries/deliveries.ts'
import { otherDeliveriesRemoved } from './deliveries/delivery-rows.ts'
import { createEndingScan } from './ending.ts'
import { createFindings } from './findings.ts'
import { otherAddressesRemoved } from './mail/address-rows.ts'
import { createMailAddresses } from './mail/addresses.ts'
import { createMailSettings } from './mail/mail-settings.ts'
import { channelsOf, type NewNotice, noticeOf } from './notice.ts'
import { otherNoticesRemoved, otherSharesForgotten } from './notice-rows.ts'
import { createNotifier, type Notifier } from './notifier.ts'
import { createAddressCheck } from './webhooks/allowed-addresses.ts'
import { createWebhookSender } from './webhooks/send-webhook.ts'
import { otherWebhooksRemoved } from './webhooks/webhook-rows.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

interface NoticesOptions {
  store: Store
  database: Pick<Database, 'read' | 'write' | 'writeLater'>
  clock: Clock
  log: Logger
  /** The key of the instance. */
  key: () => Buffer
  linkEvents: Pick<LinkEvents, 'on'>
  /** Hosts and networks to which webhooks may lead besides the Internet. */
  webhookAllow: readonly string[]
  /** Sends the number of unread notices to the pages of a user. */
  sendUnread(user: number, unread: number): void
}

const tickMs = 5000

/** Notifies the owners of shares of visits, received files, limits and ends: on the page, to a webhook, and by e-mail. */
export function createNotices({ store, linkEvents, webhookAllow, sendUnread, ...base }: NoticesOptions) {
  const { database, clock, log, key } = base
  const bell = createBell({ ...base, sendUnread })
  const check = createAddressCheck(webhookAllow)
  const post = createWebhookSender({ check, clock })
  const onTurnedOff = async (user: number, { url, fault }: { url: string; fault: 'gone' | 'failed' }) =>
    notifier.tell(turnedOffNotice(user, { url, fault, time: clock() }), ['page'])
  const webhooks = createWebhooks({ ...base, check, post, onTurnedOff })
  const mailSettings = createMailSettings(store)
  const addresses = createMailAddresses({ ...base, store, settings: mailSettings, key })
  const senders: Record<'webhook' | 'mail', Sender> = { webhook: webhooks.sender, mail: addresses.sender }
  const deliveries = createDeliveries({ ...base, senders })
  const notifier: Notifier = createNotifier({ ...base, store, bell, deliveries })
  const batches = createBatches({ ...base, complete: (batch) => notifyBatch(notifier, batch) })
  const ending = createEndingScan({ list: store.links.list, clock, tell: notifier.notifyEnding })
  linkEvents.on((event) => {
    if (event.kind === 'received') batches.add(event)
    else notifier.notifyLater(event)
  })
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  async function runOnce(): Promise<void> {
    await batches.endComplete()
    await ending.run()
    deliveries.wakeIfDue()
  }

  /** Does what is due now. */
  function run(): Promise<void> {
    running ??= runOnce()
      .catch((err: unknown) => log.error({ err }, 'notices could not be sent'))
      .finally(() => {
        running = undefined
      })
    return running
  }

  return {
    bell,
    webhooks,
    deliveries,
    addresses,
    mailSettings,
    run,

    /** Tells the owner and the administrators what the virus scanner has found. */
    found: createFindings({ ...base, store, notifier }),

    /** Notifies a user on these channels. */
    tell: (notice: NewNotice, channels: Parameters<Notifier['tell']>[1]) => notifier.tell(notice, channels),

    /** Continues with what the last run has left, and begins to work. Called once. */
    async start(): Promise<void> {
      await batches.resume()
      const links = (await store.links.list()).map(({ hash }) => hash)
      await database.write([otherSharesForgotten(links)])
      await forgetOtherNotices({ database, store, log })
      timer = setInterval(() => void run(), tickMs).unref()
      deliveries.wake()
    },

    /** Waits until all notices so far are sent, and deliveries as far as they are due. */
    async settled(): Promise<void> {
      await running
      await notifier.settled()
      await deliveries.settled()
    },

    /** Sends the notices that still wait, and stops. */
    async close(): Promise<void> {
      clearInterval(timer)
      await running
      await batches.close()
      await notifier.settled()
      await deliveries.close()
    },
  }
}

export type Notices = ReturnType<typeof createNotices>

/** Notifies the owner of a batch, with the share as it was at its last file. */
function notifyBatch(notifier: Notifier, batch: Batch): Promise<void> {
  const { id, share, sender, last, count, bytes, names, folder } = batch
  const notice = noticeOf(share, {
    kind: 'received',
    time: last,
    ...{ sender, count, bytes, names, path: folder },
  })
  return notifier.tell(notice, channelsOf(share), [batchRemoved(id)])
}

function turnedOffNotice(
  user: number,
  { url, fault, time }: { url: string; fault: string; time: number },
): NewNotice {
  const none = { link: '', path: '', count: 0, bytes: 0, names: [], sender: '' }
  return { user, time, kind: 'webhook', title: new URL(url).host, detail: fault, ...none }
}

/** Removes everything of users who have no account any more. Never throws. */
export async function forgetOtherNotices({
  database,
  store,
  log,
}: {
  database: Pick<Database, 'write'>
  store: Pick<Store, 'users'>
  log: Logger
}): Promise<void> {
  try {
    const users = (await store.users.list()).map(({ id }) => id)
    const removals = [
      otherNoticesRemoved,
      otherDeliveriesRemoved,
      otherWebhooksRemoved,
      otherAddressesRemoved,
    ]
    await database.write(removals.map((remove) => remove(users)))
  } catch (err) {
    // No other user can see them, and nothing is sent without an account. The next start tries again.
    log.error({ err }, 'the notices of deleted users could not be removed')
  }
}
