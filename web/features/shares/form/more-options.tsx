import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { problemText } from '#web/api/problems/problem-text.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Select, TextArea } from '#web/ui/form.tsx'
import { formatSize, sizeBase } from '#web/ui/format/format.ts'
import { type Draft, isTime, type SizeUnit, sizeUnits } from './draft.ts'
import styles from './link-form.module.css'
import { gives, receives } from './rights.ts'

interface MoreOptionsProps {
  draft: Draft
  /** The link has no password. */
  isOpen: boolean
  onChange(part: Partial<Draft>): void
}

/** The options that most links do not need. Only those that fit the rights are shown. */
export function MoreOptions({ draft, isOpen, onChange }: MoreOptionsProps) {
  const { t, i18n } = useLingui()
  const id = useId()
  const { rights } = draft
  return (
    <>
      <Field
        label={t`Title`}
        valuePath="title"
        maxLength={200}
        value={draft.title}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <div className={styles.text}>
        <span id={id} aria-hidden>
          {t`Message to visitors`}
        </span>
        <TextArea
          label={t`Message to visitors`}
          at="message"
          maxLength={2000}
          rows={3}
          spellCheck
          value={draft.message}
          onChange={(message) => onChange({ message })}
        />
      </div>
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
        value={draft.slug}
        help={
          draft.slug && isOpen
            ? t`Others can guess this address. A password protects the link.`
            : t`Letters, digits and single hyphens`
        }
        onChange={(event) => onChange({ slug: event.target.value })}
      />
      <Field
        type="datetime-local"
        label={t`Starts`}
        valuePath="starts"
        value={draft.starts}
        error={isTime(draft.starts) ? undefined : i18n._(problemText('request.value'))}
        onChange={(event) => onChange({ starts: event.target.value })}
      />
      {gives(rights) && (
        <Count
          label={t`Maximum number of downloads`}
          at="maxDownloads"
          value={draft.maxDownloads}
          onChange={(maxDownloads) => onChange({ maxDownloads })}
        />
      )}
      {receives(rights) && <Receiving draft={draft} onChange={onChange} />}
    </>
  )
}

/** The limits of what is received. */
function Receiving({ draft, onChange }: Pick<MoreOptionsProps, 'draft' | 'onChange'>) {
  const { t } = useLingui()
  return (
    <>
      <Count
        label={t`Maximum number of files`}
        at="maxFiles"
        value={draft.maxFiles}
        onChange={(maxFiles) => onChange({ maxFiles })}
      />
      <Size
        label={t`Maximum size of a file`}
        at="maxFileSize"
        value={draft.maxFileSize}
        unit={draft.fileUnit}
        onChange={(maxFileSize) => onChange({ maxFileSize })}
        onUnit={(fileUnit) => onChange({ fileUnit })}
      />
      <Size
        label={t`Maximum size of all files`}
        at="maxBytes"
        value={draft.maxBytes}
        unit={draft.totalUnit}
        onChange={(maxBytes) => onChange({ maxBytes })}
        onUnit={(totalUnit) => onChange({ totalUnit })}
      />
      <Field
        label={t`File types`}
        valuePath="types"
        dir="ltr"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={draft.types}
        help={t`For example: .pdf, .jpg, image/*. Empty: all types.`}
        onChange={(event) => onChange({ types: event.target.value })}
      />
      <Check
        label={t`Ask visitors for their name`}
        help={t`The files of each visitor go to a folder with this name.`}
        checked={draft.askName}
        onChange={(askName) => onChange({ askName })}
      />
    </>
  )
}

interface CountProps {
  label: string
  at: string
  value: string
  onChange(value: string): void
}

function Count({ label, at, value, onChange }: CountProps) {
  return (
    <Field
      type="number"
      inputMode="numeric"
      label={label}
      valuePath={at}
      min={1}
      step={1}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

interface SizeProps extends CountProps {
  unit: SizeUnit
  onUnit(unit: SizeUnit): void
}

function Size({ label, at, value, unit, onChange, onUnit }: SizeProps) {
  const { t, i18n } = useLingui()
  const choices = sizeUnits.map((one): [SizeUnit, string] => {
    const written = formatSize(sizeBase() ** Number(one), i18n.locale)
    return [one, written.replace(/[\p{Nd}\s]/gu, '')]
  })
  return (
    <div className={styles.size}>
      <Field
        type="number"
        inputMode="decimal"
        label={label}
        valuePath={at}
        min={0.001}
        step="any"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <Select<SizeUnit>
        label={t`Unit`}
        aria-label={t`Unit: ${label}`}
        value={unit}
        choices={choices}
        onChange={onUnit}
      />
    </div>
  )
}
