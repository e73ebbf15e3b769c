import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { SiteView } from '#contract/publish.ts'
import { ApiProblem, api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { announceChange } from '#web/shared/changes.ts'
import { parentOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { Hint, Select } from '#web/ui/form.tsx'
import { Output } from './build-output.tsx'
import { outputOf } from './build-output-text.ts'
import { fileNameOf } from './file-name.ts'
import dialog from './site-dialogs.module.css'

interface Question {
  site: SiteView
}

/** Asks for the kind and the title of a new post or page and creates it. Answers with its path. */
export function NewPageDialog({ question: { site }, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const kinds = site.archetypes.length > 0 ? site.archetypes : ['default']
  const [kind, setKind] = useState(kinds[0] ?? '')
  const [title, setTitle] = useState('')
  const [problem, setProblem] = useState<{ isAboutKind: boolean; text: string; output: string }>()
  const [isBusy, setBusy] = useState(false)
  const names = new Map([
    ['default', t`Default`],
    ['post', t`Post`],
    ['draft', t`Draft`],
    ['page', t`Page`],
  ])
  const fileName = fileNameOf(title, site, kind)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!title.trim() || isBusy) return
    setBusy(true)
    try {
      const { path } = await api('POST /api/site/pages', { body: { kind, title: title.trim() } })
      announceChange(parentOf(path))
      close(path)
    } catch (reason) {
      const code = codeOf(reason)
      const isAboutKind = code === 'site.archetype' || fieldOf(reason) === 'kind'
      const text = i18n._(problemText(fieldOf(reason) ? 'request.value' : code))
      setProblem({ isAboutKind, text, output: outputOf(reason) })
      setBusy(false)
    }
  }

  return (
    <Dialog title={t`New post or page`} onClose={close}>
      <form onSubmit={submit} className={dialog.form}>
        <Select
          label={t`Kind`}
          value={kind}
          choices={kinds.map((name) => [name, names.get(name) ?? name] as const)}
          aria-invalid={problem?.isAboutKind}
          onChange={(chosen) => {
            setKind(chosen)
            setProblem(undefined)
          }}
        />
        {problem?.isAboutKind && (
          <p role="alert" className={dialog.error}>
            {problem.text}
          </p>
        )}
        <Field
          label={t`Title`}
          value={title}
          maxLength={255}
          onChange={(event) => {
            setTitle(event.target.value)
            setProblem(undefined)
          }}
          error={problem?.isAboutKind ? undefined : problem?.text}
          autoComplete="off"
          dir="auto"
          autoFocus
        />
        <Hint>{fileName ? t`File: ${fileName}` : t`The title becomes the file name.`}</Hint>
        {problem?.output && <Output text={problem.output} />}
        <DialogButtons>
          <Button label={t`Cancel`} onClick={() => close()} />
          <Button type="submit" variant="main" label={t`Create`} disabled={!title.trim() || isBusy} />
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** The refused value, as in `title`; empty if the refusal is not about a value. */
function fieldOf(reason: unknown): string {
  return reason instanceof ApiProblem ? reason.field.replace(/^body\./, '') : ''
}
