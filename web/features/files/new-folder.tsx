import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'

interface Question {
  /** Makes the folder; a refusal is shown in the dialog, which stays open. */
  create(name: string): Promise<void>
}

/** Asks for the name of a new folder and makes it. Names are trimmed (specification, section 5). */
export function NewFolder({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const wanted = name.trim()
  const impossible = /[/\\]|^\.{1,2}$/.test(wanted)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!wanted || impossible) return
    try {
      await question.create(wanted)
      close(wanted)
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
    }
  }

  return (
    <Dialog title={t`New folder`} onClose={close}>
      <form onSubmit={submit}>
        <Field
          label={t`Name`}
          value={name}
          onChange={(event) => {
            setName(event.target.value)
            setError(undefined)
          }}
          error={impossible ? t`A name cannot be “.” or “..” or contain a slash.` : error}
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          autoFocus
        />
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button type="submit" look="main" label={t`Create`} disabled={!wanted || impossible} />
        </DialogButtons>
      </form>
    </Dialog>
  )
}
