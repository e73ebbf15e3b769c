import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { ListFilter } from 'lucide-react'
import type { FormEvent } from 'react'
import { useId, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Buttons, Select } from '#web/ui/form.tsx'
import { firstDayOfWeek } from '#web/ui/format/calendar.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './audit.module.css'
import {
  auditAddress,
  type FilterPeriod,
  type Filters,
  localOf,
  periodOfTimes,
  periods,
  timeOf,
  timesOfPeriod,
} from './filters.ts'
import { kindLabels, outcomeLabels } from './record-text.ts'

type Labels = readonly (readonly [value: string, label: MessageDescriptor])[]

interface FilterFormProps {
  filters: Filters
}

/**
 * The filters. Applying them changes the address, so that the result can be shared and found again. On narrow screens, a
 * button shows and hides them.
 */
export function FilterForm({ filters }: FilterFormProps) {
  const { t, i18n } = useLingui()
  const { field } = useSettingTexts()
  const id = useId()
  const [draft, setDraft] = useDraft(filters)
  const [isOpen, setOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const count = Object.keys(filters).length
  const text = (name: 'user' | 'path' | 'address', maxLength: number) => (
    <Field
      {...field(`audit.${name}`)}
      value={draft[name] ?? ''}
      maxLength={maxLength}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
      onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
    />
  )
  const choice = (name: 'kind' | 'outcome', labels: Labels) => (
    <Select
      {...field(`audit.${name}`)}
      value={draft[name] ?? ''}
      choices={[['', t`All`], ...known(draft[name], labels).map(([value, text]) => [value, text] as const)]}
      onChange={(value) => setDraft({ ...draft, [name]: value })}
    />
  )
  const known = (value: string | undefined, labels: Labels): [string, string][] => {
    const all = labels.map(([name, label]): [string, string] => [name, i18n._(label)])
    return !value || all.some(([name]) => name === value) ? all : [...all, [value, value]]
  }
  const time = (name: 'from' | 'to') => (
    <Field
      type="datetime-local"
      {...field(`audit.${name}`)}
      value={localOf(draft[name])}
      onChange={(event) => setDraft({ ...draft, [name]: timeOf(event.target.value) })}
    />
  )
  const show = (address: string) => {
    navigateTo(address)
    setOpen(false)
    // Wide screens have no such button, and show the form also now.
    toggle.current?.focus()
  }
  const apply = (event: FormEvent) => {
    event.preventDefault()
    show(auditAddress(draft))
  }
  const clear = () => {
    // The button disappears.
    submit.current?.focus()
    show(paths.audit)
  }
  return (
    <search className={styles.search}>
      <Button
        ref={toggle}
        className={styles.toggle}
        icon={ListFilter}
        label={count > 0 ? t`Filters (${formatNumber(count, i18n.locale)})` : t`Filters`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      />
      <form id={id} data-open={isOpen || undefined} className={styles.filters} onSubmit={apply}>
        {text('user', 256)}
        {text('path', 16_384)}
        {text('address', 64)}
        {choice('kind', kindLabels)}
        {choice('outcome', outcomeLabels)}
        <PeriodSelect filters={draft} onChange={(times) => setDraft({ ...draft, ...times })} />
        {time('from')}
        {time('to')}
        <Buttons>
          {count > 0 && <Button label={t`Clear`} onClick={clear} />}
          <Button ref={submit} type="submit" variant="main" label={t`Filter`} />
        </Buttons>
      </form>
    </search>
  )
}

interface PeriodSelectProps extends FilterFormProps {
  onChange(times: Pick<Filters, 'from' | 'to'>): void
}

/** Fills in the times of a usual period. Weeks begin on the day that the user has chosen. */
function PeriodSelect({ filters, onChange }: PeriodSelectProps) {
  const { t, i18n } = useLingui()
  const firstDay = firstDayOfWeek(useSnapshot(session).user?.firstDay, i18n.locale)
  const labels: Record<FilterPeriod, string> = {
    today: t`Today`,
    yesterday: t`Yesterday`,
    week: t`This week`,
    lastWeek: t`Last week`,
  }
  const current = periodOfTimes(filters, Date.now(), firstDay)
  const choices: (readonly [FilterPeriod | 'all' | 'own', string])[] = [
    ['all', t`Any time`],
    ...periods.map((period) => [period, labels[period]] as const),
  ]
  if (current === 'own') choices.push(['own', t`As entered below`])
  return (
    <Select
      {...useSettingTexts().field('audit.period')}
      value={current}
      choices={choices}
      onChange={(period) => {
        if (period === 'all') onChange({ from: '', to: '' })
        else if (period !== 'own') onChange(timesOfPeriod(period, Date.now(), firstDay))
      }}
    />
  )
}

/** What the fields contain: the filters, until the user changes a field. */
function useDraft(filters: Filters) {
  const [state, setState] = useState({ filters, draft: filters })
  if (state.filters !== filters) setState({ filters, draft: filters })
  return [state.draft, (draft: Filters) => setState({ filters, draft })] as const
}
