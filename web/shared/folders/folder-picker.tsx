import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { AskProps } from '#web/overlays/ask.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import styles from './folder-dialog.module.css'
import { FolderDialog } from './folder-dialog.tsx'
import { FolderTree } from './folder-tree.tsx'
import { useHomeTree } from './use-home-tree.ts'

interface Question {
  /** The folder that is chosen first, without a closing slash. */
  path: string
}

/** Asks an administrator for a folder in the served folder. Returns its path, without a closing slash except the root. */
export function FolderPicker({ question: { path }, close }: AskProps<Question, string>) {
  const { t } = useLingui()
  const start = path === '/' ? path : `${path}/`
  const { branches, planned, open, error, expand, collapse, plan } = useHomeTree(start)
  const [chosen, setChosen] = useState(start)
  const confirm = () => close(chosen === '/' ? chosen : chosen.slice(0, -1))
  const add = (name: string) => {
    const added = `${chosen}${name}/`
    if (!ownEntry(branches, chosen)?.includes(added)) plan(added)
    setChosen(added)
    return true
  }
  return (
    <FolderDialog
      title={t`Choose folder`}
      verb={t`Choose`}
      addVerb={t`Add`}
      mayAdd
      status={
        <>
          <code dir="ltr">{chosen === '/' ? chosen : chosen.slice(0, -1)}</code>{' '}
          {planned.has(chosen) && t`This folder does not exist yet. It will be created.`}
        </>
      }
      onAdd={add}
      onConfirm={confirm}
      onClose={close}
    >
      <FolderTree
        branches={branches}
        planned={planned}
        open={open}
        chosen={chosen}
        rootName={t`Served folder`}
        onChoose={setChosen}
        onConfirm={confirm}
        onToggle={(path, isOpen) => (isOpen ? void expand(path) : collapse(path))}
      />
      {error && (
        <p role="alert" className={styles.note}>
          {error}
        </p>
      )}
    </FolderDialog>
  )
}
