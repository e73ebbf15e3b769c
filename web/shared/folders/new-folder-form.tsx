import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { nameError } from '#web/shared/names/name-rule.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import styles from './new-folder-form.module.css'

interface NewFolderFormProps {
  /** The label of the button. */
  verb: string
  /** Called with a valid name, without white space around it. */
  onCreate(name: string): void
  onCancel(): void
}

/** The name of a new folder, in a dialog that chooses a folder. Escape closes only this form, not the dialog. */
export function NewFolderForm({ verb, onCreate, onCancel }: NewFolderFormProps) {
  const { t, i18n } = useLingui()
  const [written, setWritten] = useState('')
  const name = written.trim()
  const problem = nameError(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name && !problem) onCreate(name)
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <Field
        label={t`New folder name`}
        value={written}
        onChange={(event) => setWritten(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onCancel()
        }}
        error={problem && i18n._(problem)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus
      />
      <Button type="submit" label={verb} isInactive={!name || problem !== undefined} />
    </form>
  )
}
