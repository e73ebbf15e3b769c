import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'

interface ModeFieldProps {
  /** The name of the setting. */
  at: 'fileMode' | 'dirMode'
  /** Permission bits. */
  mode: number
  onChange(mode: number): void
}

/** The owner must keep these permissions. Otherwise the server could not use the files it creates. */
const patterns = { fileMode: '0?[67][0-7]{2}', dirMode: '0?7[0-7]{2}' }
const examples = { fileMode: '0640', dirMode: '0750' }

/** Permission bits in octal notation, as in other file tools. */
export function ModeField({ at, mode, onChange }: ModeFieldProps) {
  const { t } = useLingui()
  const [text, setText] = useState(`0${mode.toString(8)}`)
  const pattern = patterns[at]
  return (
    <Field
      {...useSettingTexts().field(`global.${at}`)}
      title={t`Three digits from 0 to 7, for example ${examples[at]}`}
      valuePath={at}
      value={text}
      pattern={pattern}
      required
      maxLength={4}
      inputMode="numeric"
      spellCheck={false}
      dir="ltr"
      onChange={({ target: { value } }) => {
        setText(value)
        if (new RegExp(`^${pattern}$`).test(value)) onChange(Number.parseInt(value, 8))
      }}
    />
  )
}
