import { useLingui } from '@lingui/react/macro'
import type { ShareView } from '#contract/shares.ts'
import { Field } from '#web/ui/field.tsx'
import { Select } from '#web/ui/form.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import type { Draft } from './draft.ts'
import { dayOf, expiryOf, type Lifetime } from './lifetime.ts'
import styles from './link-form.module.css'

/** The latest last day, from now on. The server accepts at most 2^31 - 1 seconds. */
const longestMs = 50 * 365 * 86_400_000

interface LifetimeFieldsProps {
  draft: Draft
  link: ShareView | undefined
  help: string | undefined
  onChange(part: Partial<Draft>): void
}

/** The fields for how long a link works. */
export function LifetimeFields({ draft, link, help, onChange }: LifetimeFieldsProps) {
  const { t, i18n } = useLingui()
  const { lifetime, lastDay } = draft
  // While a year is typed, browsers pass on years such as 0002.
  const isOver = lifetime === 'date' && lastDay > '1000' && !expiryOf(lifetime, lastDay)
  const lifetimes: readonly (readonly [Lifetime, string])[] = [
    ...(link?.expire ? [['same', formatDate(link.expire * 1000, i18n.locale)] as const] : []),
    ['never', t`Never`],
    ['hour', t`In 1 hour`],
    ['day', t`In 1 day`],
    ['week', t`In 7 days`],
    ['month', t`In 30 days`],
    ['date', t`On a date`],
  ]
  return (
    <div className={styles.time}>
      <Select<Lifetime>
        label={t`Expires`}
        value={lifetime}
        choices={lifetimes}
        help={help}
        onChange={(lifetime) => onChange({ lifetime })}
        autoFocus={!link}
      />
      {lifetime === 'date' && (
        <Field
          type="date"
          label={t`Last day`}
          min={dayOf(Date.now())}
          max={dayOf(Date.now() + longestMs)}
          required
          value={lastDay}
          error={isOver ? t`This day is over. Choose a later one.` : undefined}
          onChange={(event) => onChange({ lastDay: event.target.value })}
        />
      )}
    </div>
  )
}
