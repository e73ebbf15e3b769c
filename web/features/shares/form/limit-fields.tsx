import { useLingui } from '@lingui/react/macro'
import { Field } from '#web/ui/field.tsx'
import { Check, Select } from '#web/ui/form.tsx'
import { formatSize, sizeBase } from '#web/ui/format/format.ts'
import { type FormPartProps, type SizeUnit, sizeUnits } from './draft.ts'
import styles from './link-form.module.css'
import { gives, receives } from './rights.ts'

/** The lowest rate that the server accepts, in bytes a second. */
const lowestRate = 16_384

/** How often and how much a link can be used. */
export function LimitFields({ draft, onChange }: FormPartProps) {
  const { t } = useLingui()
  const { rights, rateUnit } = draft
  return (
    <>
      {gives(rights) && (
        <Count
          label={t`Maximum number of downloads`}
          at="maxDownloads"
          value={draft.maxDownloads}
          onChange={(maxDownloads) => onChange({ maxDownloads })}
        />
      )}
      <Count
        label={t`Maximum number of visitors`}
        at="maxVisitors"
        most={10_000}
        value={draft.maxVisitors}
        help={t`Visitors in the same network count as one.`}
        onChange={(maxVisitors) => onChange({ maxVisitors })}
      />
      {receives(rights) && <Receiving draft={draft} onChange={onChange} />}
      <Size
        label={t`Maximum speed per second`}
        at="rate"
        least={lowestRate / sizeBase() ** Number(rateUnit)}
        units={sizeUnits.slice(0, 3)}
        value={draft.rate}
        unit={rateUnit}
        help={t`For all visitors of the link together.`}
        onChange={(rate) => onChange({ rate })}
        onUnit={(rateUnit) => onChange({ rateUnit })}
      />
    </>
  )
}

/** The limits of what is received. */
function Receiving({ draft, onChange }: FormPartProps) {
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
  /** The server's name of the value. */
  at: string
  value: string
  most?: number
  help?: string
  onChange(value: string): void
}

function Count({ at, most, onChange, ...rest }: CountProps) {
  return (
    <Field
      type="number"
      inputMode="numeric"
      valuePath={at}
      min={1}
      max={most}
      step={1}
      {...rest}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

interface SizeProps extends CountProps {
  /** The smallest number in this unit. */
  least?: number
  units?: readonly SizeUnit[]
  unit: SizeUnit
  onUnit(unit: SizeUnit): void
}

function Size({ at, least = 0.001, units = sizeUnits, unit, onChange, onUnit, ...rest }: SizeProps) {
  const { t, i18n } = useLingui()
  const { label } = rest
  const choices = units.map((one): [SizeUnit, string] => {
    const written = formatSize(sizeBase() ** Number(one), i18n.locale)
    return [one, written.replace(/[\p{Nd}\s]/gu, '')]
  })
  return (
    <div className={styles.size}>
      <Field
        type="number"
        inputMode="decimal"
        valuePath={at}
        min={least}
        step="any"
        {...rest}
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
