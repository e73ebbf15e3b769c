import { useLingui } from '@lingui/react/macro'
import { permissions } from '#web/shared/session.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Select } from '#web/ui/form.tsx'
import type { NameRule } from './new-names.ts'
import styles from './rename-many.module.css'

interface RuleFieldsProps {
  rule: NameRule
  /** Why the pattern is invalid. */
  error: string | undefined
  onChange(change: Partial<NameRule>): void
}

/** The fields of the rule: what changes, and how. */
export function RuleFields({ rule, error, onChange }: RuleFieldsProps) {
  const { t } = useLingui()
  return (
    <>
      <div className={styles.fields}>
        <Select
          label={t`Change`}
          value={rule.mode}
          choices={[
            ['replace', t`Find and replace`],
            ['number', t`Number`],
            ['case', t`Upper and lower case`],
            ['date', t`Add the date`],
          ]}
          onChange={(mode) => onChange({ mode })}
        />
        {rule.mode === 'replace' && <ReplaceFields rule={rule} error={error} onChange={onChange} />}
        {rule.mode === 'number' && <NumberFields rule={rule} onChange={onChange} />}
        {rule.mode === 'case' && (
          <Select
            label={t`Letters`}
            value={rule.letters}
            choices={[
              ['lower', t`lower case`],
              ['upper', t`UPPER CASE`],
              ['title', t`Title Case`],
            ]}
            onChange={(letters) => onChange({ letters })}
          />
        )}
        {rule.mode === 'date' && (
          <>
            <Select
              label={t`Date`}
              value={rule.date}
              choices={[
                ['modified', t`Last modified`],
                // It is in the content of the files.
                ...(permissions().download ? [['taken', t`Date taken`] as const] : []),
              ]}
              onChange={(date) => onChange({ date })}
            />
            <Select
              label={t`Position`}
              value={rule.datePlace}
              choices={[
                ['before', t`before the name`],
                ['after', t`after the name`],
              ]}
              onChange={(datePlace) => onChange({ datePlace })}
            />
          </>
        )}
      </div>
      <div className={styles.checks}>
        {rule.mode === 'replace' && (
          <>
            <Check
              label={t`Match case`}
              checked={rule.matchesCase}
              onChange={(matchesCase) => onChange({ matchesCase })}
            />
            <Check
              label={t`Regular expression`}
              checked={rule.isPattern}
              onChange={(isPattern) => onChange({ isPattern })}
            />
          </>
        )}
        <Check
          label={t`Change the extension, too`}
          checked={rule.withEnding}
          onChange={(withEnding) => onChange({ withEnding })}
        />
      </div>
    </>
  )
}

/** Fields take at most this many characters, more than a name can have. */
const maxLength = 300

const plain = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false, maxLength } as const

function ReplaceFields({ rule, error, onChange }: RuleFieldsProps) {
  const { t } = useLingui()
  return (
    <>
      <Field
        label={t`Find`}
        value={rule.find}
        error={error}
        onChange={(event) => onChange({ find: event.target.value })}
        autoFocus
        {...plain}
      />
      <Field
        label={t`Replace with`}
        value={rule.replacement}
        onChange={(event) => onChange({ replacement: event.target.value })}
        {...plain}
      />
    </>
  )
}

function NumberFields({ rule, onChange }: Pick<RuleFieldsProps, 'rule' | 'onChange'>) {
  const { t } = useLingui()
  const [starts, lengths] = [
    { min: 0, max: 999_999_999 },
    { min: 1, max: 9 },
  ]
  const within = (text: string, { min, max }: typeof starts) =>
    Math.min(max, Math.max(min, Math.trunc(Number(text)) || min))
  return (
    <>
      <Field
        label={t`Prefix`}
        value={rule.prefix}
        onChange={(event) => onChange({ prefix: event.target.value })}
        {...plain}
      />
      <Field
        label={t`First number`}
        type="number"
        {...starts}
        value={rule.start}
        onChange={(event) => onChange({ start: within(event.target.value, starts) })}
      />
      <Field
        label={t`Digits`}
        type="number"
        {...lengths}
        value={rule.digits}
        onChange={(event) => onChange({ digits: within(event.target.value, lengths) })}
      />
    </>
  )
}
