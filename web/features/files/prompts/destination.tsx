import { Plural, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { api } from '#web/api/client.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { FolderDialog } from '#web/shared/folders/folder-dialog.tsx'
import { createdText } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'
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
  /** The number of items. */
  count: number
  mayCreate: boolean
}

/** Asks for a folder to move, copy or restore to. Returns its decoded path with a closing slash. */
export function DestinationDialog({ question, close }: AskProps<Question, string>) {
  const { t } = useLingui()
  const { branches, open, error, expand, collapse, fail } = useFolderTree(question.from)
  const [chosen, setChosen] = useState(question.from)
  const texts = {
    copy: [t`Copy to`, t`Copy`],
    rename: [t`Move to`, t`Move`],
    restore: [t`Restore to`, t`Restore`],
  } as const
  const { count } = question
  const [title, verb] = texts[question.kind]
  const isBarred = question.excludedPaths.some((path) => chosen.startsWith(`${path}/`))
  const isHere = question.kind !== 'restore' && chosen === question.from

  async function create(name: string): Promise<boolean> {
    const path = `${chosen}${name}/`
    try {
      const about = { text: createdText(name, true), isSilent: true }
      await recorded(about, (onOperation) =>
        api('POST /api/resources/*', { params: { '*': path }, query: {} }, { onOperation }),
      )
      await expand(chosen)
      setChosen(path)
      return true
    } catch (reason) {
      fail(reason)
      return false
    }
  }

  return (
    <FolderDialog
      title={title}
      verb={verb}
      addVerb={t`Create`}
      mayAdd={question.mayCreate}
      isBarred={isHere || isBarred}
      status={
        isHere ? (
          <Plural
            value={count}
            one="The item is already in this folder. Choose another folder."
            other="The items are already in this folder. Choose another folder."
          />
        ) : (
          isBarred && t`A folder can't be moved or copied into itself.`
        )
      }
      onAdd={create}
      onConfirm={() => close(chosen)}
      onClose={close}
    >
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
    </FolderDialog>
  )
}
