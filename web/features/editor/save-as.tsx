import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'

interface Question {
  /** The current name. */
  name: string
  /** Saves under another name. An error is shown in the dialog, which stays open. */
  save(name: string): Promise<void>
}

/** Asks for another name in the same folder and saves the text under it. */
export function SaveAsDialog({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const [name, setName] = useState(question.name)
  const [error, setError] = useState<string>()
  const newName = name.trim()
  const isInvalid = /[/\\]|^\.{1,2}$/.test(newName)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!newName || isInvalid) return
    try {
      await question.save(newName)
      close(newName)
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
    }
  }

  return (
    <Dialog title={t`Save as`} onClose={close}>
      <form onSubmit={submit}>
        <Field
          label={t`New name`}
          value={name}
          onChange={(event) => {
            setName(event.target.value)
            setError(undefined)
          }}
          error={isInvalid ? t`A name can't be “.” or “..” or contain a slash.` : error}
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          autoFocus
        />
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button type="submit" variant="main" label={t`Save`} disabled={!newName || isInvalid} />
        </DialogButtons>
      </form>
    </Dialog>
  )
}
