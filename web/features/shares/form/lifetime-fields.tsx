import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ShareView } from '#contract/shares.ts'
import { Field } from '#web/ui/field.tsx'
import { Select } from '#web/ui/form.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import type { Draft } from './draft.ts'
import { dayOf, expiryOf, type Lifetime, longestSeconds, type TimeUnit, timeUnits } from './lifetime.ts'
import styles from './link-form.module.css'
import { allowsLifetime, policyNow } from './policy.ts'

interface LifetimeFieldsProps {
  draft: Draft
  link: ShareView | undefined
  help: string | undefined
  onChange(part: Partial<Draft>): void
}

/** The fields for how long a link works. */
export function LifetimeFields({ draft, link, help, onChange }: LifetimeFieldsProps) {
  const { t, i18n } = useLingui()
  const { lifetime } = draft
  const lifetimes: readonly (readonly [Lifetime, string])[] = [
    ...(link?.expire ? [['same', formatDate(link.expire * 1000, i18n.locale)] as const] : []),
    ['never', t`Never`],
    ['hour', t`In 1 hour`],
    ['day', t`In 1 day`],
    ['week', t`In 7 days`],
    ['month', t`In 30 days`],
    ['time', t`After a time`],
    ['date', t`On a date`],
  ]
  const { longest } = policyNow()
  const limit = plural(longest, {
    one: 'Links work for at most # day here.',
    other: 'Links work for at most # days here.',
  })
  // A link that never ends may be older than the limit. It can be changed without another end.
  const isAllowed = (one: Lifetime) => allowsLifetime(one) || one === (link && 'never')
  return (
    <div className={styles.time}>
      <Select<Lifetime>
        label={t`Expires`}
        value={lifetime}
        choices={lifetimes.filter(([one]) => isAllowed(one))}
        help={[longest > 0 && limit, help].filter(Boolean).join(' ') || undefined}
        onChange={(lifetime) => onChange({ lifetime })}
        autoFocus={!link}
      />
      {lifetime === 'time' && <LengthFields draft={draft} onChange={onChange} />}
      {lifetime === 'date' && <LastDayField draft={draft} onChange={onChange} />}
    </div>
  )
}

type PartProps = Pick<LifetimeFieldsProps, 'draft' | 'onChange'>

/** The longest life of a link, in seconds. */
function mostSeconds(): number {
  const { longest } = policyNow()
  return Math.min(longestSeconds, longest > 0 ? longest * timeUnits.days : longestSeconds)
}

/** A number and its unit. */
function LengthFields({ draft, onChange }: PartProps) {
  const { t } = useLingui()
  return (
    <div className={styles.length}>
      <Field
        type="number"
        inputMode="numeric"
        label={t`Number`}
        valuePath="expires"
        min={1}
        max={Math.floor(mostSeconds() / timeUnits[draft.lengthUnit])}
        step={1}
        required
        value={draft.length}
        onChange={(event) => onChange({ length: event.target.value })}
      />
      <Select<TimeUnit>
        label={t`Unit`}
        value={draft.lengthUnit}
        choices={[
          ['minutes', t`Minutes`],
          ['hours', t`Hours`],
          ['days', t`Days`],
        ]}
        onChange={(lengthUnit) => onChange({ lengthUnit })}
      />
    </div>
  )
}

function LastDayField({ draft, onChange }: PartProps) {
  const { t } = useLingui()
  const { lastDay } = draft
  // While a year is typed, browsers pass on years such as 0002.
  const isOver = lastDay > '1000' && !expiryOf('date', draft)
  // A day ends at midnight, so with a policy the last one is the day before.
  const shorterMs = policyNow().longest > 0 ? timeUnits.days * 1000 : 0
  return (
    <Field
      type="date"
      label={t`Last day`}
      min={dayOf(Date.now())}
      max={dayOf(Date.now() + mostSeconds() * 1000 - shorterMs)}
      required
      value={lastDay}
      error={isOver ? t`This day is over. Choose a later one.` : undefined}
      onChange={(event) => onChange({ lastDay: event.target.value })}
    />
  )
}
