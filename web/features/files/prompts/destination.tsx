import { useLingui } from '@lingui/react/macro'
import { FolderPlus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api } from '#web/api/client.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { nameError } from '#web/shared/names/name-rule.ts'
import { createdText } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { FolderChooser } from './folder-chooser.tsx'
import styles from './prompts.module.css'
import { useFolderTree } from './use-folders.ts'

interface Question {
  kind: 'copy' | 'rename' | 'restore'
  /**
   * The folder of the items, decoded, with a closing slash. It is not a valid destination. If items are restored, the
   * folder at which the dialog opens.
   */
  from: string
  /** Paths that are not valid destinations, nor anything below them: the items themselves. */
  excludedPaths: readonly string[]
  mayCreate: boolean
}

/** Asks for a folder to move, copy or restore to. Returns its decoded path with a closing slash. */
export function DestinationDialog({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const { branches, open, error, expand, collapse, fail } = useFolderTree(question.from)
  const [chosen, setChosen] = useState(question.from)
  const [newName, setNewName] = useState<string>()
  const texts = {
    copy: [t`Copy to`, t`Copy`],
    rename: [t`Move to`, t`Move`],
    restore: [t`Restore to`, t`Restore`],
  } as const
  const [title, verb] = texts[question.kind]
  const isBarred = question.excludedPaths.some((path) => chosen.startsWith(`${path}/`))
  const isHere = question.kind !== 'restore' && chosen === question.from
  const problem = newName === undefined ? undefined : nameError(newName.trim())

  async function create(event: FormEvent) {
    event.preventDefault()
    if (!newName?.trim() || problem) return
    const path = `${chosen}${newName.trim()}/`
    try {
      const about = { text: createdText(newName.trim(), true), isSilent: true }
      await recorded(about, (onOperation) =>
        api('POST /api/resources/*', { params: { '*': path }, query: {} }, { onOperation }),
      )
      await expand(chosen)
      setChosen(path)
      setNewName(undefined)
    } catch (reason) {
      fail(reason)
    }
  }

  return (
    <Dialog title={title} onClose={close}>
      <FolderChooser
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
            label={t`New folder name`}
            value={newName}
            onChange={(event) => setNewName(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              // Closes only the new folder field, not the dialog.
              event.stopPropagation()
              setNewName(undefined)
            }}
            error={problem && i18n._(problem)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            autoFocus
          />
          <Button type="submit" label={t`Create`} isInactive={!newName.trim() || problem !== undefined} />
        </form>
      )}
      <p role="status" className={styles.note}>
        {isHere
          ? t`It's already in this folder. Choose another one.`
          : isBarred
            ? t`A folder can't be moved or copied into itself.`
            : ''}
      </p>
      <DialogButtons>
        {question.mayCreate && newName === undefined && (
          <Button
            variant="quiet"
            icon={FolderPlus}
            className={styles.first}
            label={t`New folder`}
            onClick={() => setNewName('')}
          />
        )}
        <Button label={t`Cancel`} onClick={() => close()} />
        <Button variant="main" label={verb} disabled={isHere || isBarred} onClick={() => close(chosen)} />
      </DialogButtons>
    </Dialog>
  )
}
