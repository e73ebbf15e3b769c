import { useLingui } from '@lingui/react/macro'
import { problemText } from '#web/api/problems/problem-text.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Group, Hint } from '#web/ui/form.tsx'
import { type FormPartProps, isTime, peopleIn } from './draft.ts'
import { LimitFields } from './limit-fields.tsx'
import { PageFields } from './page-fields.tsx'
import { type NoticeChannel, noticeChannels } from './page-options.ts'
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
  const labels: Record<NoticeChannel, string> = {
    page: t`On this page`,
    mail: t`By mail`,
    webhook: t`By webhook`,
  }
  const toggle = (channel: NoticeChannel, isOn: boolean) =>
    onChange({ notify: isOn ? [...notify, channel] : notify.filter((one) => one !== channel) })
  return (
    <>
      {noticeChannels.map((channel) => (
        <Check
          key={channel}
          label={labels[channel]}
          checked={notify.includes(channel)}
          onChange={(isOn) => toggle(channel, isOn)}
        />
      ))}
      <Hint>{t`Mail and webhooks work as soon as they are set up in the settings.`}</Hint>
    </>
  )
}
