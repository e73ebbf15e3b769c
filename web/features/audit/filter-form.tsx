import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { ListFilter } from 'lucide-react'
import type { FormEvent } from 'react'
import { useId, useRef, useState } from 'react'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Buttons, Select } from '#web/ui/form.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './audit.module.css'
import { auditAddress, type Filters, localOf, timeOf } from './filters.ts'
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
  const id = useId()
  const [draft, setDraft] = useDraft(filters)
  const [isOpen, setOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const count = Object.keys(filters).length
  const text = (name: 'user' | 'path' | 'address', label: string, maxLength: number) => (
    <Field
      label={label}
      value={draft[name] ?? ''}
      maxLength={maxLength}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
      onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
    />
  )
  const choice = (name: 'kind' | 'outcome', label: string, labels: Labels) => (
    <Select
      label={label}
      value={draft[name] ?? ''}
      choices={[['', t`All`], ...known(draft[name], labels).map(([value, text]) => [value, text] as const)]}
      onChange={(value) => setDraft({ ...draft, [name]: value })}
    />
  )
  const known = (value: string | undefined, labels: Labels): [string, string][] => {
    const all = labels.map(([name, label]): [string, string] => [name, i18n._(label)])
    return !value || all.some(([name]) => name === value) ? all : [...all, [value, value]]
  }
  const time = (name: 'from' | 'to', label: string) => (
    <Field
      type="datetime-local"
      label={label}
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
        {text('user', t`Username`, 256)}
        {text('path', t`Path, with everything below`, 16_384)}
        {text('address', t`Address`, 64)}
        {choice('kind', t`Action`, kindLabels)}
        {choice('outcome', t`Outcome`, outcomeLabels)}
        {time('from', t`From`)}
        {time('to', t`Until`)}
        <Buttons>
          {count > 0 && <Button label={t`Clear`} onClick={clear} />}
          <Button ref={submit} type="submit" variant="main" label={t`Filter`} />
        </Buttons>
      </form>
    </search>
  )
}

/** What the fields contain: the filters, until the user changes a field. */
function useDraft(filters: Filters) {
  const [state, setState] = useState({ filters, draft: filters })
  if (state.filters !== filters) setState({ filters, draft: filters })
  return [state.draft, (draft: Filters) => setState({ filters, draft })] as const
}
