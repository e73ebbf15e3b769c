import type { MailSettings, MailSettingsInput, MailSettingsView } from '#contract/notices/mail.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import type { Store } from '#src/state/store.ts'
import { mailAddress } from './mail-address.ts'
import type { MailServer } from './send-mail.ts'

const none: MailSettings = { host: '', port: 587, security: 'starttls', user: '', from: '', url: '' }

/** How the instance sends e-mails, for administrators. The password is never returned. */
export function createMailSettings(store: Pick<Store, 'settings' | 'mailPassword' | 'change'>) {
  async function stored(): Promise<MailSettings> {
    return (await store.settings.get()).mail ?? none
  }

  async function view(): Promise<MailSettingsView> {
    return { ...(await stored()), hasPassword: Boolean(await store.mailPassword()) }
  }

  return {
    view,

    /** The mail server; undefined: the instance sends no e-mails. */
    async server(): Promise<MailServer | undefined> {
      const settings = await stored()
      return settings.host ? { ...settings, password: (await store.mailPassword()) ?? '' } : undefined
    },

    /** Whether the instance sends e-mails. */
    canMail: async (): Promise<boolean> => (await stored()).host !== '',

    /**
     * Changes the settings. The password stays when it is missing, unless the server or the user is another one: a
     * stored password is never sent to a host that it was not entered for.
     *
     * @throws Problem `request.invalid` with the field, `mail.address`.
     */
    async set(given: MailSettingsInput, recheck: Recheck): Promise<MailSettingsView> {
      const { password, current_password: _proof, ...rest } = given
      await store.change((draft) => {
        recheck()
        const before = draft.settings.mail ?? none
        const next = checked({ ...rest, url: rest.url ?? before.url })
        const isSame = next.host === before.host && next.port === before.port && next.user === before.user
        draft.settings = { ...draft.settings, mail: next }
        if (password !== undefined || !isSame) draft.mailPassword = password || undefined
      })
      return view()
    },
  }
}

export type MailSettingsService = ReturnType<typeof createMailSettings>

/** @throws Problem `request.invalid`, `mail.address`. */
function checked(given: MailSettings): MailSettings {
  const [host, url] = [given.host.trim(), given.url.trim().replace(/\/+$/, '')]
  const from = mailAddress(given.from)
  if (!from && host) throw new Problem('mail.address', { field: 'from' })
  const parsed = url && URL.parse(url)
  if (parsed === null || (parsed && (!/^https?:$/.test(parsed.protocol) || parsed.search || parsed.hash)))
    throw new Problem('request.invalid', { field: 'url', reason: 'must be a URL with https:// or http://' })
  if (parsed && (parsed.username || parsed.password))
    throw new Problem('request.invalid', { field: 'url', reason: 'must not contain a user name' })
  return { ...given, host, from: from ?? '', url }
}
