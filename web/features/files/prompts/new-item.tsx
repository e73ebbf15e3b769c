import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { nameProblem } from './name-rule.ts'

interface Question {
  /** A text file instead of a folder. */
  isFile?: boolean
  /** Makes it; a refusal is shown in the dialog, which stays open. */
  create(name: string): Promise<void>
}

/** Asks for the name of a new folder or file and makes it. Names are trimmed (specification, section 5). */
export function NewItem({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const wanted = name.trim()
  const problem = nameProblem(wanted)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!wanted || problem || isBusy) return
    setBusy(true)
    try {
      await question.create(wanted)
      close(wanted)
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
      setBusy(false)
    }
  }

  return (
    <Dialog title={question.isFile ? t`New file` : t`New folder`} onClose={close}>
      <form onSubmit={submit}>
        <Field
          label={t`Name`}
          value={name}
          onChange={(event) => {
            setName(event.target.value)
            setError(undefined)
          }}
          error={problem ? i18n._(problem) : error}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          autoFocus
        />
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button
            type="submit"
            look="main"
            label={t`Create`}
            disabled={!wanted || problem !== undefined || isBusy}
          />
        </DialogButtons>
      </form>
    </Dialog>
  )
}
