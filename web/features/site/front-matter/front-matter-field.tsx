import { Trans, useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import type { FrontMatterChange, FrontMatterField } from '#contract/publish.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Hint, TextArea } from '#web/ui/form.tsx'
import styles from './front-matter.module.css'
import { readWrittenTime } from './written-time.ts'

interface FrontMatterInputProps {
  label: string
  field: FrontMatterField
  onEdit(change: FrontMatterChange): void
  /** Called when the user leaves the field. */
  onLeave(): void
}

/** One field of the front matter, as its kind needs it. */
export function FrontMatterInput({ label, field, onEdit, onLeave }: FrontMatterInputProps) {
  const { name, kind, value } = field
  const props = { label, onLeave }
  if (kind === 'boolean')
    return (
      <div className={styles.check}>
        <Check
          label={label}
          checked={value === true}
          onChange={(isOn) => onEdit({ name, value: isOn })}
          onBlur={onLeave}
        />
      </div>
    )
  if (kind === 'list') {
    const list = Array.isArray(value) ? value : []
    // Such a list cannot be written with commas.
    if (list.some((item) => itemsOf(item)[0] !== item))
      return <OtherField label={label} value={list.join('\n')} />
    return (
      <TypedField
        {...props}
        value={list.join(', ')}
        onType={(text) => onEdit({ name, value: itemsOf(text) })}
      />
    )
  }
  if (kind === 'date') return <TimeField {...props} name={name} value={String(value)} onEdit={onEdit} />
  if (kind === 'number')
    return (
      <TypedField
        {...props}
        type="number"
        value={String(value)}
        onType={(text) =>
          text !== '' && Number.isFinite(Number(text)) && onEdit({ name, value: Number(text) })
        }
      />
    )
  if (kind === 'text' && String(value).includes('\n'))
    return (
      <LongField
        label={label}
        value={String(value)}
        onType={(text) => onEdit({ name, value: text })}
        onLeave={onLeave}
      />
    )
  if (kind === 'other') return <OtherField label={label} value={String(value)} />
  return <TypedField {...props} value={String(value)} onType={(text) => onEdit({ name, value: text })} />
}

/** The items of a list that is written with commas. */
function itemsOf(text: string): string[] {
  return text
    .split(/[,،、，]/)
    .map((item) => item.trim())
    .filter(Boolean)
}

interface TypedFieldProps {
  label: string
  value: string
  type?: 'text' | 'number' | 'date' | 'datetime-local'
  note?: string | undefined
  onType(text: string): void
  onLeave(): void
}

/** A field that keeps what the user types, such as a comma at the end of a list, until the user leaves it. */
function TypedField({ label, value, type = 'text', note, onType, onLeave }: TypedFieldProps) {
  const [typed, setTyped] = useState<string>()
  return (
    <Field
      label={label}
      type={type}
      value={typed ?? value}
      aria-describedby={note}
      dir={type === 'text' ? 'auto' : undefined}
      autoComplete="off"
      step={type === 'number' ? 'any' : undefined}
      onChange={(event) => {
        setTyped(event.target.value)
        onType(event.target.value)
      }}
      onBlur={() => {
        setTyped(undefined)
        onLeave()
      }}
    />
  )
}

interface TimeFieldProps extends Omit<FrontMatterInputProps, 'field'> {
  name: string
  /** As written. */
  value: string
}

function TimeField({ label, name, value, onEdit, onLeave }: TimeFieldProps) {
  const { t } = useLingui()
  const note = useId()
  const time = readWrittenTime(value)
  const zone = time.zone
  return (
    <div className={styles.row}>
      <TypedField
        label={label}
        type={time.type}
        value={time.value}
        note={time.type === 'datetime-local' && value ? note : undefined}
        onType={(text) => onEdit({ name, value: text ? time.write(text) : null, isDate: true })}
        onLeave={onLeave}
      />
      {time.type === 'datetime-local' && value && (
        <Hint id={note}>{zone ? t`Time zone: ${zone}` : t`Without a time zone`}</Hint>
      )}
    </div>
  )
}

/** A text of several lines. */
function LongField({ label, value, onType, onLeave }: Omit<TypedFieldProps, 'type' | 'note'>) {
  return (
    <div className={styles.row}>
      <p className={styles.label}>{label}</p>
      <TextArea label={label} value={value} dir="auto" spellCheck onChange={onType} onBlur={onLeave} />
    </div>
  )
}

function OtherField({ label, value }: { label: string; value: string }) {
  const note = useId()
  return (
    <div className={styles.row}>
      <p className={styles.label}>{label}</p>
      <TextArea
        label={label}
        value={value}
        rows={Math.min(4, value.split('\n').length)}
        dir="ltr"
        readOnly
        aria-describedby={note}
        onChange={() => undefined}
      />
      <Hint id={note}>
        <Trans>Edit this field in the text.</Trans>
      </Hint>
    </div>
  )
}
