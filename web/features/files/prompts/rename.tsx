import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { stemLength } from './stem.ts'

interface Question {
  name: string
  isDir: boolean
  /** Renames; a refusal is shown in the dialog, which stays open. */
  rename(name: string): Promise<void>
}

/** Asks for another name, the stem of the old one selected. Names are trimmed (specification, section 5). */
export function Rename({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const [name, setName] = useState(question.name)
  const [error, setError] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.setSelectionRange(0, stemLength(question.name, question.isDir))
  }, [question])
  const wanted = name.trim()
  const impossible = /[/\\]|^\.{1,2}$/.test(wanted)
  const idle = !wanted || impossible || wanted === question.name

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (idle) return
    try {
      await question.rename(wanted)
      close(wanted)
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
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
          error={impossible ? t`A name cannot be “.” or “..” or contain a slash.` : error}
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          autoFocus
        />
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button type="submit" look="main" label={t`Rename`} disabled={idle} />
        </DialogButtons>
      </form>
    </Dialog>
  )
}
