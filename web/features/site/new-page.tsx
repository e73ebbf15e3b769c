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
import { fileNameOf, folderOf, plainFolder } from './file-name.ts'
import dialog from './site-dialogs.module.css'

interface Question {
  site: SiteView
  /** The folder to propose, below the folder for content. Undefined: that of the kind. */
  folder: string | undefined
}

/** Asks for the kind, the title and the folder of a new post or page and creates it. Answers with its path. */
export function NewPageDialog({ question: { site, folder: shown }, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const kinds = site.archetypes.length > 0 ? site.archetypes : ['default']
  const [kind, setKind] = useState(kinds[0] ?? '')
  const [title, setTitle] = useState('')
  // Undefined until it is typed: then it follows the kind.
  const [typedFolder, setTypedFolder] = useState(shown)
  const [problem, setProblem] = useState<Failure>()
  const [isBusy, setBusy] = useState(false)
  const names = new Map([
    ['default', t`Default`],
    ['post', t`Post`],
    ['draft', t`Draft`],
    ['page', t`Page`],
  ])
  const folder = typedFolder ?? folderOf(site, kind)
  const fileName = fileNameOf(title, site, { kind, folder: plainFolder(folder) })
  const errorOf = (field: Failure['about']) => (problem?.about === field ? problem.text : undefined)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!title.trim() || isBusy) return
    setBusy(true)
    try {
      const body = { kind, title: title.trim(), folder: plainFolder(folder) }
      const { path } = await api('POST /api/site/pages', { body })
      announceChange(parentOf(path))
      close(path)
    } catch (reason) {
      const code = codeOf(reason)
      const text = i18n._(problemText(fieldOf(reason) ? 'request.value' : code))
      setProblem({ about: aboutOf(reason), text, output: outputOf(reason) })
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
          aria-invalid={problem?.about === 'kind'}
          onChange={(chosen) => {
            setKind(chosen)
            setProblem(undefined)
          }}
        />
        {problem?.about === 'kind' && (
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
          error={errorOf('title')}
          autoComplete="off"
          dir="auto"
          autoFocus
        />
        <Field
          label={t`Folder`}
          value={folder}
          maxLength={4096}
          onChange={(event) => {
            setTypedFolder(event.target.value)
            setProblem(undefined)
          }}
          error={errorOf('folder')}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
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

/** Why a page could not be created, and the field that it is about. */
interface Failure {
  about: 'kind' | 'title' | 'folder'
  text: string
  /** The last lines of the generator; empty: it did not fail. */
  output: string
}

function aboutOf(reason: unknown): Failure['about'] {
  const [code, field] = [codeOf(reason), fieldOf(reason)]
  if (code === 'site.archetype' || field === 'kind') return 'kind'
  return ['site.outside', 'path.forbidden', 'path.file'].includes(code) || field === 'folder'
    ? 'folder'
    : 'title'
}

/** The refused value, as in `title`; empty if the refusal is not about a value. */
function fieldOf(reason: unknown): string {
  return reason instanceof ApiProblem ? reason.field.replace(/^body\./, '') : ''
}
