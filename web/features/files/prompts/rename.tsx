import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { stemLength } from '#web/features/files/operations/stem.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { endingOf, nameProblem } from './name-rule.ts'
import styles from './prompts.module.css'

interface Question {
  name: string
  isDir: boolean
  /** Renames; a refusal is shown in the dialog, which stays open. */
  rename(name: string): Promise<void>
}

/** Asks for another name, the stem of the old one selected. Names are trimmed. */
export function Rename({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const [name, setName] = useState(question.name)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.setSelectionRange(0, stemLength(question.name, question.isDir))
  }, [question])
  const wanted = name.trim()
  const problem = nameProblem(wanted)
  const isIdle = !wanted || problem !== undefined || wanted === question.name || isBusy

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isIdle) return
    setBusy(true)
    try {
      await question.rename(wanted)
      close(wanted)
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
        {!question.isDir && wanted && !problem && <EndingNote before={question.name} after={wanted} />}
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button type="submit" look="main" label={t`Rename`} disabled={isIdle} />
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** Programs go by the ending: who changes it should know. */
function EndingNote({ before, after }: { before: string; after: string }) {
  const [from, to] = [endingOf(before), endingOf(after)]
  if (!from || from === to) return null
  return (
    <p role="status" className={styles.note}>
      {to ? (
        <Trans>
          The extension will change from <bdi>{from}</bdi> to <bdi>{to}</bdi>.
        </Trans>
      ) : (
        <Trans>
          The extension <bdi>{from}</bdi> will be removed.
        </Trans>
      )}
    </p>
  )
}
