import { useLingui } from '@lingui/react/macro'
import { BookOpen, Columns2, FileText, type LucideIcon, SquarePen, TextSearch, WrapText } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { changeHistory, undoThis } from '#web/shared/undo/history.ts'
import { Button } from '#web/ui/button.tsx'
import { isFocusFree } from '#web/ui/layers/lost-focus.ts'
import { Toolbar } from '#web/ui/toolbar.tsx'
import { editor } from './document/editor-state.ts'
import styles from './editor-page.module.css'

/** The visible panes for a text that has a preview: the text, both, or the preview. */
export type Panes = 'text' | 'both' | 'look'

interface EditorFootProps {
  file: FileView
  /** Whether to say which keys leave the text. */
  explainsKeys: boolean
  isWrapped: boolean
  onWrap(isOn: boolean): void
  /** Undefined when this kind of text has no preview. */
  panes: Panes | undefined
  onPanes(panes: Panes): void
}

/** The status line below a text: cursor position, save state, and view options. */
export function EditorStatusBar(props: EditorFootProps) {
  const { file, explainsKeys, isWrapped, onWrap, panes, onPanes } = props
  const { t } = useLingui()
  const { line, column, isDirty, isSaving } = useSnapshot(editor)
  const isReadOnly = file.type !== 'text'
  const choices: [Panes, LucideIcon, string][] = [
    ['text', isReadOnly ? FileText : SquarePen, t`Text`],
    ['both', Columns2, t`Text and preview`],
    ['look', BookOpen, t`Preview`],
  ]
  return (
    <div className={styles.foot}>
      <p className={styles.wide}>{t`Line ${line}, column ${column}`}</p>
      <p role="status">
        {isReadOnly ? t`Read-only` : isSaving ? t`Saving…` : isDirty ? t`Unsaved changes` : t`Saved`}
      </p>
      {!isReadOnly && !isSaving && !isDirty && <UndoSave path={file.path} />}
      {!isReadOnly && explainsKeys && (
        <p className={styles.wide}>{t`Press Esc, then Tab to leave the editor`}</p>
      )}
      <Toolbar className={styles.tools} label={t`View`}>
        {panes &&
          choices.map(([choice, icon, label]) => (
            <Button
              key={choice}
              variant="quiet"
              icon={icon}
              iconOnly
              label={label}
              aria-pressed={panes === choice}
              onClick={() => onPanes(choice)}
            />
          ))}
        {panes !== 'look' && (
          <>
            <Button
              variant="quiet"
              icon={TextSearch}
              iconOnly
              label={isReadOnly ? t`Find` : t`Find and replace`}
              onClick={() => editor.open?.find()}
            />
            <Button
              variant="quiet"
              icon={WrapText}
              iconOnly
              label={t`Wrap long lines`}
              aria-pressed={isWrapped}
              onClick={() => onWrap(!isWrapped)}
            />
          </>
        )}
      </Toolbar>
    </div>
  )
}

interface UndoSaveProps {
  path: string
}

/** A button that undoes the last save of this text, if it was saved in this tab. */
function UndoSave({ path }: UndoSaveProps) {
  const { t } = useLingui()
  useSnapshot(changeHistory)
  const change = changeHistory.undo.findLast(({ saved }) => saved === path)
  if (!change) return null
  const undo = async () => {
    await undoThis(change)
    // Without an earlier save the button has disappeared, with the focus.
    if (isFocusFree()) editor.open?.focus()
  }
  return <Button variant="quiet" className={styles.undo} label={t`Undo save`} onClick={undo} />
}
