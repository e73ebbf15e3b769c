import { useLingui } from '@lingui/react/macro'
import {
  type FocusEvent,
  type KeyboardEvent,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import {
  cancelRename,
  leaveRename,
  saveRename,
  typedNameError,
  typeName,
} from '#web/features/files/operations/inline-rename.ts'
import { EndingNote } from '#web/features/files/prompts/ending-note.tsx'
import { files } from '#web/features/files/state/files-state.ts'
import { renaming } from '#web/shared/names/rename-state.ts'
import { stemLength } from '#web/shared/names/stem.ts'
import styles from './rename-field.module.css'

/** Space that a sentence below the field needs, in pixels. */
const noteHeight = 64

interface RenameFieldProps {
  item: Pick<Item, 'path' | 'name' | 'isDir'>
}

/** The name of an item as a text field, in its row or card. */
export function RenameField({ item: { name, isDir } }: RenameFieldProps) {
  const { t } = useLingui()
  const { text, isSaving } = useSnapshot(renaming, { sync: true })
  // Another item may take the name, or give it up, while the user types.
  useSnapshot(files)
  const field = useRef<HTMLInputElement>(null)
  const isAbove = useFocusedField(field, name, isDir)
  const error = typedNameError()
  const newName = text.trim()
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps the events of the field from the list around it.
    <div className={styles.place} data-part="rename" {...ownEvents} onBlur={onBlur} onKeyDown={onKeyDown}>
      <input
        ref={field}
        tabIndex={-1}
        className={styles.field}
        dir="auto"
        aria-label={t`New name`}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? 'rename-note' : undefined}
        aria-busy={isSaving || undefined}
        readOnly={isSaving}
        value={text}
        onChange={(event) => typeName(event.target.value)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <div className={styles.note} data-above={isAbove || undefined}>
        {error ? (
          <p id="rename-note" role="alert" className={styles.error}>
            {error}
          </p>
        ) : (
          !isDir && newName && <EndingNote before={name} after={newName} />
        )}
      </div>
    </div>
  )
}

/** Focuses the field with the stem selected; later, if the row is drawn anew, with the cursor at the end. */
function useFocusedField(
  field: React.RefObject<HTMLInputElement | null>,
  name: string,
  isDir: boolean,
): boolean {
  const [isAbove, setAbove] = useState(false)
  useLayoutEffect(() => {
    const input = field.current
    if (!input) return
    input.focus()
    const isFirst = renaming.text === name
    input.setSelectionRange(
      isFirst ? 0 : input.value.length,
      isFirst ? stemLength(name, isDir) : input.value.length,
    )
    // Otherwise, selecting text with the pointer would drag the item.
    const item = input.closest<HTMLElement>('[data-index]')
    if (item) item.draggable = false
    const bottom =
      input.closest('[data-part=list]')?.getBoundingClientRect().bottom ?? Number.POSITIVE_INFINITY
    setAbove(bottom - input.getBoundingClientRect().bottom < noteHeight)
  }, [field, name, isDir])
  return isAbove
}

const stop = (event: SyntheticEvent) => event.stopPropagation()

/** Clicks, presses and the focus belong to the field, not to the list. */
const ownEvents = {
  onClick: stop,
  onDoubleClick: stop,
  onAuxClick: stop,
  onContextMenu: stop,
  onFocus: stop,
  onMouseDown: stop,
  onPointerDown: stop,
  onDragStart: stop,
}

/** Leaving the field saves. A window that loses the focus, or a row that is drawn anew, does not leave it. */
function onBlur({ target }: FocusEvent): void {
  setTimeout(() => {
    if (target.isConnected && document.activeElement !== target) void leaveRename()
  })
}

function onKeyDown(event: KeyboardEvent): void {
  event.stopPropagation()
  if (event.nativeEvent.isComposing) return
  if (event.key === 'Escape') cancelRename()
  else if (event.key === 'Enter') void saveRename()
  else if (event.key === 'Tab') void saveRename(event.shiftKey ? -1 : 1)
  else return
  event.preventDefault()
}
