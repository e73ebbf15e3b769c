import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { NoticeChannel } from '#contract/notices/notices.ts'
import { api } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { href, paths } from '#web/shared/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Group, Hint } from '#web/ui/form.tsx'
import { type FormPartProps, isTime, peopleIn } from './draft.ts'
import { LimitFields } from './limit-fields.tsx'
import { PageFields } from './page-fields.tsx'
import { noticeChannels } from './page-options.ts'
import { PeopleField } from './people-field.tsx'

interface MoreOptionsProps extends FormPartProps {
  /** The link has no password. */
  isOpen: boolean
  /** Where a cover picture is chosen first, with a slash at its end; undefined: its path must be typed. */
  folder: string | undefined
}

/** The options that most links do not need. Only those that fit the rights are shown. */
export function MoreOptions({ draft, isOpen, folder, onChange }: MoreOptionsProps) {
  const { t } = useLingui()
  return (
    <>
      <Group label={t`Page`}>
        <PageFields draft={draft} folder={folder} onChange={onChange} />
      </Group>
      <Group label={t`Access`}>
        <AccessFields draft={draft} isOpen={isOpen} onChange={onChange} />
      </Group>
      <Group label={t`Limits`}>
        <LimitFields draft={draft} onChange={onChange} />
      </Group>
      <Group label={t`Notify me about visitors`}>
        <NoticeFields draft={draft} onChange={onChange} />
      </Group>
    </>
  )
}

/** At which address, for whom and from when the link works. */
function AccessFields({ draft, isOpen, onChange }: Omit<MoreOptionsProps, 'folder'>) {
  const { t, i18n } = useLingui()
  const { slug, starts } = draft
  const isGuessable = slug !== '' && isOpen && peopleIn(draft).length === 0
  return (
    <>
      <Field
        label={t`Custom address`}
        valuePath="slug"
        minLength={3}
        maxLength={64}
        pattern="[A-Za-z0-9]+(-[A-Za-z0-9]+)*"
        title={t`Letters, digits and single hyphens`}
        dir="ltr"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={slug}
        help={
          isGuessable
            ? t`Others can guess this address. Set a password to keep them out.`
            : t`Letters, digits and single hyphens`
        }
        onChange={(event) => onChange({ slug: event.target.value })}
      />
      <PeopleField draft={draft} onChange={onChange} />
      <Field
        type="datetime-local"
        label={t`Starts`}
        valuePath="starts"
        value={starts}
        error={isTime(starts) ? undefined : i18n._(problemText('request.value'))}
        onChange={(event) => onChange({ starts: event.target.value })}
      />
    </>
  )
}

/** Where the owner reads about visitors. */
function NoticeFields({ draft: { notify }, onChange }: FormPartProps) {
  const { t } = useLingui()
  const { canMail, hasAddress, hasWebhook } = useChannels()
  const channels: Record<NoticeChannel, { label: string; missing?: string | false }> = {
    page: { label: t`On this page` },
    mail: {
      label: t`By mail`,
      missing: canMail
        ? !hasAddress && t`Your settings have no confirmed mail address.`
        : t`This server is not set up for mail.`,
    },
    webhook: { label: t`By webhook`, missing: !hasWebhook && t`Your settings have no webhook.` },
  }
  const toggle = (channel: NoticeChannel, isOn: boolean) =>
    onChange({ notify: isOn ? [...notify, channel] : notify.filter((one) => one !== channel) })
  return (
    <>
      {noticeChannels.map((channel) => (
        <Check
          key={channel}
          label={channels[channel].label}
          help={channels[channel].missing || undefined}
          checked={notify.includes(channel)}
          onChange={(isOn) => toggle(channel, isOn)}
        />
      ))}
      {!(hasAddress && hasWebhook) && (
        <Hint>
          {/* In another tab, so that nothing that was typed is lost. */}
          <a href={href(paths.profile)} target="_blank" rel="noopener">
            {t`Open the settings`}
          </a>
        </Hint>
      )}
    </>
  )
}

/** Which channels are set up. Until that is known, and if it cannot be known, all of them. */
function useChannels(): { canMail: boolean; hasAddress: boolean; hasWebhook: boolean } {
  const [found, setFound] = useState({ canMail: true, hasAddress: true, hasWebhook: true })
  useEffect(() => {
    let isLeft = false
    const load = async () => {
      const [mail, { url, enabled }] = await Promise.all([
        api('GET /api/notices/settings'),
        api('GET /api/webhook'),
      ])
      const hasAddress = mail.address !== undefined
      if (!isLeft) setFound({ canMail: mail.canMail, hasAddress, hasWebhook: url !== '' && enabled })
    }
    // Without an answer, there are no hints.
    load().catch(() => undefined)
    return () => {
      isLeft = true
    }
  }, [])
  return found
}
