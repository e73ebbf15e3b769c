import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { nameError } from '#web/shared/names/name-rule.ts'
import { stemLength } from '#web/shared/names/stem.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { EndingNote } from './ending-note.tsx'

interface Question {
  name: string
  isDir: boolean
  /** Renames the item. An error is shown in the dialog, which stays open. */
  rename(name: string): Promise<void>
}

/** Asks for a new name, with the old name selected up to its extension. Trims the name. */
export function RenameDialog({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const [name, setName] = useState(question.name)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.setSelectionRange(0, stemLength(question.name, question.isDir))
  }, [question])
  const newName = name === question.name ? name : name.trim()
  const problem = newName === question.name ? undefined : nameError(newName)
  const isIdle = !newName || problem !== undefined || newName === question.name || isBusy

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isIdle) return
    setBusy(true)
    try {
      await question.rename(newName)
      close(newName)
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
      setBusy(false)
    }
  }

  return (
    <Dialog title={t`Rename`} onClose={close}>
      <form onSubmit={submit}>
        <Field
          ref={field}
          label={t`New name`}
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
        {!question.isDir && newName && !problem && <EndingNote before={question.name} after={newName} />}
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button type="submit" variant="main" label={t`Rename`} disabled={isIdle} />
        </DialogButtons>
      </form>
    </Dialog>
  )
}
