import { randomInt } from 'node:crypto'
import type { NoticeSettings } from '#contract/notices/notices.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import { Problem } from '#src/core/problem.ts'
import { equalsInConstantTime, hmac, randomId } from '#src/core/secret.ts'
import type { Store } from '#src/state/store.ts'
import type { Sender } from '../deliveries/deliveries.ts'
import {
  addressesRemoved,
  confirmedStatement,
  readAddresses,
  triedStatement,
  wantedStatement,
} from './address-rows.ts'
import { createHourlyLimit } from './hourly-limit.ts'
import { mailAddress } from './mail-address.ts'
import type { MailSettingsService } from './mail-settings.ts'
import { codeMessage, messageOf, testMessage } from './message.ts'
import { isFinalRefusal, type Mail, type MailServer, sendMail } from './send-mail.ts'

interface MailOptions {
  database: Pick<Database, 'read' | 'write'>
  store: Pick<Store, 'settings'>
  clock: Clock
  settings: MailSettingsService
  /** The key for hashes of codes. */
  key: () => Buffer
}

const codeLifeMs = 30 * 60_000
const mostTries = 5
/** E-mails with codes per hour: for one user, to one address, and of the instance. Tests of administrators. */
const perHour = { user: 5, address: 3, all: 100, tests: 20 }

/** The addresses of the users, and what is sent to them. Nothing but a code is sent to an address before it is confirmed. */
export function createMailAddresses({ database, store, clock, settings, key }: MailOptions) {
  const limit = createHourlyLimit(clock)

  async function view(user: number): Promise<NoticeSettings> {
    const row = await readAddresses(database, user)
    return {
      canMail: await settings.canMail(),
      ...(row?.address && { address: row.address }),
      ...(row?.wanted && { unconfirmed: row.wanted }),
    }
  }

  const hashed = (user: number, wanted: string, code: string) => hmac(`mail.${user}.${wanted}.${code}`, key())

  async function sendCode(user: number, wanted: string): Promise<void> {
    const server = await serverOf(settings)
    limit.take([
      { key: `user ${user}`, most: perHour.user },
      { key: `address ${wanted.toLowerCase()}`, most: perHour.address },
      { key: 'all', most: perHour.all },
    ])
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const name = await nameOf(store)
    await sendMail(server, { ...codeMessage(code, name), to: wanted, name, id: randomId() }).catch(hideAnswer)
    await database.write([wantedStatement(user, { wanted, code: hashed(user, wanted, code), sent: clock() })])
  }

  const sender: Sender = {
    accepts: async (user) =>
      (await settings.canMail()) && Boolean((await readAddresses(database, user))?.address),

    async send({ user, id, body }, signal) {
      const server = await settings.server()
      const to = (await readAddresses(database, user))?.address
      if (!server || !to) return { result: 'failed', reason: 'off' }
      const mail: Mail = { ...messageOf(body, server), to, name: await nameOf(store), id }
      try {
        await sendMail(server, mail, signal)
        return { result: 'done' }
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        return { result: isFinalRefusal(error) ? 'failed' : 'again', reason: error.code }
      }
    },
  }

  return {
    view,
    sender,

    /**
     * Sends a code to a new address. The confirmed one stays until the new one is confirmed.
     *
     * @param text empty: removes the addresses
     * @throws Problem `mail.address`, `mail.off`, `request.limited`, and as `sendMail`.
     */
    async set(user: number, text: string): Promise<NoticeSettings> {
      if (text.trim() === '') {
        await database.write([addressesRemoved(user)])
        return view(user)
      }
      const wanted = mailAddress(text)
      if (!wanted) throw new Problem('mail.address', { field: 'address' })
      if ((await readAddresses(database, user))?.address !== wanted) await sendCode(user, wanted)
      return view(user)
    },

    /** Confirms the address with its code. @throws Problem `mail.code`. */
    async confirm(user: number, code: string): Promise<NoticeSettings> {
      // Counts first, so that parallel attempts cannot be more than the limit.
      const [rows = []] = await database.write([triedStatement(user, mostTries)])
      const [row] = rows as unknown as { wanted: string; code: string; sent: number }[]
      const given = hashed(user, row?.wanted ?? '', code.replace(/\s/g, ''))
      const isRight = row !== undefined && equalsInConstantTime(given, row.code)
      if (!isRight || Math.abs(clock() - row.sent) > codeLifeMs) throw new Problem('mail.code')
      await database.write([confirmedStatement(user, row.code)])
      return view(user)
    },

    /**
     * Sends a test e-mail.
     *
     * @throws Problem `mail.off`, `mail.address`, `request.limited`, and as `sendMail`, with the answer of the server.
     */
    async test(text: string): Promise<void> {
      const server = await serverOf(settings)
      const to = mailAddress(text)
      if (!to) throw new Problem('mail.address', { field: 'to' })
      limit.take([{ key: 'tests', most: perHour.tests }])
      const name = await nameOf(store)
      await sendMail(server, { ...testMessage(name), to, name, id: randomId() })
    },
  }
}

/** The name of the instance. */
async function nameOf({ settings }: Pick<Store, 'settings'>): Promise<string> {
  return (await settings.get()).branding.name || 'Coffer'
}

/** @throws Problem `mail.off`. */
async function serverOf(settings: MailSettingsService): Promise<MailServer> {
  const server = await settings.server()
  if (!server) throw new Problem('mail.off')
  return server
}

/** The answer of the mail server is for administrators, who can test the settings. */
function hideAnswer(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  throw new Problem(error.code, { reason: 'an administrator can test it' }, { cause: error })
}
