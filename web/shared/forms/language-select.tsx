import { useLingui } from '@lingui/react/macro'
import { languages } from '#web/shared/i18n.ts'
import { Select } from '#web/ui/form.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'

interface LanguageSelectProps {
  label: string
  help: string | undefined
  'data-setting': string
  /** Empty: the browser's language. */
  value: string
  onChange(value: string): void
}

/** A list of all languages, each in its own name, and the language of the browser. */
export function LanguageSelect({ value, ...rest }: LanguageSelectProps) {
  const { t } = useLingui()
  const offered = languages.includes(value) || !value ? languages : [...languages, value]
  const choices = offered.map((tag) => [tag, ownEntry(names, tag) ?? tag] as const)
  return <Select value={value} choices={[['', t`Browser default`], ...choices]} {...rest} />
}

/** Fixed names, because browsers do not know the names of all languages. */
const names: Record<string, string> = {
  ar: 'العربية',
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  is: 'Íslenska',
  it: 'Italiano',
  ja: '日本語',
  ko: '한국어',
  'nl-be': 'Nederlands (België)',
  pl: 'Polski',
  'pt-br': 'Português (Brasil)',
  pt: 'Português',
  ro: 'Română',
  ru: 'Русский',
  'sv-se': 'Svenska',
  'zh-cn': '中文（简体）',
  'zh-tw': '中文（繁體）',
}
