import { useLingui } from '@lingui/react/macro'
import { FolderPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import styles from './folder-dialog.module.css'
import { NewFolderForm } from './new-folder-form.tsx'

interface FolderDialogProps {
  title: string
  /** The label of the button that chooses. */
  verb: string
  /** The label of the button that adds a folder. */
  addVerb: string
  /** Folders can be added. */
  mayAdd: boolean
  /** The chosen folder is not valid. */
  isBarred?: boolean
  /** About the chosen folder. */
  status: ReactNode
  /** The tree, and errors below it. */
  children: ReactNode
  /** Adds a folder to the chosen one. Returns whether that was done. */
  onAdd(name: string): boolean | Promise<boolean>
  onConfirm(): void
  onClose(): void
}

/** A dialog that asks for a folder in a tree, to which folders can be added. */
export function FolderDialog(props: FolderDialogProps) {
  const { title, verb, addVerb, mayAdd, isBarred = false, status, children } = props
  const { t } = useLingui()
  const [isNaming, setNaming] = useState(false)
  const add = async (name: string) => {
    if (await props.onAdd(name)) setNaming(false)
  }
  return (
    <Dialog title={title} onClose={props.onClose}>
      {children}
      {isNaming && (
        <NewFolderForm verb={addVerb} onCreate={(name) => void add(name)} onCancel={() => setNaming(false)} />
      )}
      <p role="status" className={styles.note}>
        {status}
      </p>
      <DialogButtons>
        {mayAdd && !isNaming && (
          <Button
            variant="quiet"
            icon={FolderPlus}
            className={styles.first}
            label={t`New folder`}
            onClick={() => setNaming(true)}
          />
        )}
        <Button label={t`Cancel`} onClick={props.onClose} />
        <Button variant="main" label={verb} disabled={isBarred} onClick={props.onConfirm} />
      </DialogButtons>
    </Dialog>
  )
}
