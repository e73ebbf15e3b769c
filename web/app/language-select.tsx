import { useLingui } from '@lingui/react/macro'
import { Select } from '#web/ui/form.tsx'
import { languages } from './i18n.ts'

interface LanguageSelectProps {
  /** Empty: the browser's. */
  value: string
  onChange(value: string): void
}

/** The languages there are, each in its own words, and the browser's. */
export function LanguageSelect({ value, onChange }: LanguageSelectProps) {
  const { t } = useLingui()
  const offered = languages.includes(value) || !value ? languages : [...languages, value]
  const choices = offered.map((tag) => [tag, nameOf(tag)] as const)
  return (
    <Select
      label={t`Language`}
      value={value}
      onChange={onChange}
      choices={[['', t`As in the browser`], ...choices]}
    />
  )
}

function nameOf(tag: string): string {
  return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
}
