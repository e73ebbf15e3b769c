import { useLingui } from '@lingui/react/macro'
import { FolderPlus } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { parentOf } from '#web/app/paths.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { type Branches, FolderTree } from './folder-tree.tsx'
import { nameProblem } from './name-rule.ts'
import styles from './prompts.module.css'

interface Question {
  kind: 'copy' | 'rename'
  /** The folder the things are in now, decoded, with a closing slash: no destination. */
  from: string
  /** Paths that cannot be a destination, nor anything below them: the things themselves. */
  barred: readonly string[]
  mayCreate: boolean
}

/** Asks for a folder to move or to copy to; answers its decoded path with a closing slash. */
export function Destination({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const { branches, open, error, expand, collapse, fail } = useFolders(question.from)
  const [chosen, setChosen] = useState(question.from)
  const [newName, setNewName] = useState<string>()
  const isMove = question.kind === 'rename'
  const isBarred = question.barred.some((path) => chosen.startsWith(`${path}/`))
  const isHere = chosen === question.from
  const problem = newName === undefined ? undefined : nameProblem(newName.trim())

  async function create(event: FormEvent) {
    event.preventDefault()
    if (!newName?.trim() || problem) return
    const path = `${chosen}${newName.trim()}/`
    try {
      await api('POST /api/resources/*', { params: { '*': path }, query: {} })
      await expand(chosen)
      setChosen(path)
      setNewName(undefined)
    } catch (reason) {
      fail(reason)
    }
  }

  return (
    <Dialog title={isMove ? t`Move to` : t`Copy to`} onClose={close}>
      <FolderTree
        branches={branches}
        open={open}
        chosen={chosen}
        onChoose={setChosen}
        onConfirm={() => isHere || isBarred || close(chosen)}
        onToggle={(path, isOpen) => (isOpen ? void expand(path) : collapse(path))}
      />
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      {newName !== undefined && (
        <form onSubmit={create} className={styles.line}>
          <Field
            label={t`Name of the new folder`}
            value={newName}
            onChange={(event) => setNewName(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              // Lets go of the new folder, not of the whole question.
              event.stopPropagation()
              setNewName(undefined)
            }}
            error={problem && i18n._(problem)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            autoFocus
          />
          <Button type="submit" label={t`Create`} isOff={!newName.trim() || problem !== undefined} />
        </form>
      )}
      <p role="status" className={styles.note}>
        {isHere
          ? t`It is in this folder already. Choose another one.`
          : isBarred
            ? t`A folder cannot go into itself.`
            : ''}
      </p>
      <DialogButtons>
        {question.mayCreate && newName === undefined && (
          <Button
            look="quiet"
            icon={FolderPlus}
            className={styles.first}
            label={t`New folder`}
            onClick={() => setNewName('')}
          />
        )}
        <Button label={t`Cancel`} onClick={() => close()} />
        <Button
          look="main"
          label={isMove ? t`Move` : t`Copy`}
          disabled={isHere || isBarred}
          onClick={() => close(chosen)}
        />
      </DialogButtons>
    </Dialog>
  )
}

/** The tree as far as it was opened; every folder is asked when it is opened, so that it is never out of date. */
function useFolders(from: string) {
  const { i18n } = useLingui()
  const [branches, setBranches] = useState<Branches>({})
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<string>()
  const fail = (reason: unknown) => setError(i18n._(problemText(codeOf(reason))))
  const expand = async (path: string) => {
    try {
      const answer = await api('GET /api/resources/*', { params: { '*': path }, query: {} })
      const items = 'items' in answer ? answer.items : []
      const folders = items
        .filter((item) => item.isDir && item.type === '')
        .map(({ name }) => `${path}${name}/`)
      setBranches((known) => ({ ...known, [path]: folders }))
      setOpen((known) => new Set([...known, path]))
      setError(undefined)
    } catch (reason) {
      fail(reason)
    }
  }
  const collapse = (path: string) => setOpen((known) => new Set([...known].filter((one) => one !== path)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the way to where one is opens once, at the start.
  useEffect(() => {
    const way = [from]
    while (way[0] && way[0] !== '/') way.unshift(parentOf(way[0]))
    void Promise.all(way.map(expand))
  }, [from])
  return { branches, open, error, expand, collapse, fail }
}
