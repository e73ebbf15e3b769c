import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { NewTarget } from '#web/features/files/operations/create.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { nameError } from '#web/shared/names/name-rule.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { FolderChooser } from './folder-chooser.tsx'
import styles from './prompts.module.css'
import { useFolderTree } from './use-folders.ts'

interface Question {
  /** Creates a text file instead of a folder. */
  isFile?: boolean
  /** The parent folder, decoded, with a closing slash; undefined: the user chooses one, starting at their home. */
  folder: string | undefined
  /** Creates the item. An error is shown in the dialog, which stays open. */
  create(target: NewTarget): Promise<void>
}

/** Asks for the name of a new folder or file and creates it. Trims the name. */
export function NewItemDialog({ question, close }: AskProps<Question, string>) {
  const { t, i18n } = useLingui()
  const [name, setName] = useState('')
  const [folder, setFolder] = useState(question.folder ?? '/')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const hasNoFolder = question.folder === undefined
  const trimmedName = name.trim()
  const problem = nameError(trimmedName)

  async function submit(event?: FormEvent) {
    event?.preventDefault()
    if (!trimmedName || problem || isBusy) return
    setBusy(true)
    try {
      await question.create({ folder, name: trimmedName, hasNoFolder })
      close(trimmedName)
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
      setBusy(false)
    }
  }

  return (
    <Dialog title={question.isFile ? t`New file` : t`New folder`} onClose={close}>
      {hasNoFolder && (
        <Folders
          chosen={folder}
          onConfirm={submit}
          onChoose={(path) => {
            setFolder(path)
            setError(undefined)
          }}
        />
      )}
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
            variant="main"
            label={t`Create`}
            disabled={!trimmedName || problem !== undefined || isBusy}
          />
        </DialogButtons>
      </form>
    </Dialog>
  )
}

interface FoldersProps {
  chosen: string
  onChoose(path: string): void
  onConfirm(): void
}

/** The tree in which the user chooses the parent folder. */
function Folders({ chosen, onChoose, onConfirm }: FoldersProps) {
  const { branches, open, error, expand, collapse } = useFolderTree('/')
  return (
    <>
      <FolderChooser
        branches={branches}
        open={open}
        chosen={chosen}
        skipsInitialFocus
        onChoose={onChoose}
        onConfirm={onConfirm}
        onToggle={(path, isOpen) => (isOpen ? void expand(path) : collapse(path))}
      />
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </>
  )
}
