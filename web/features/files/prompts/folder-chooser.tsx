import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { FolderTree, type FolderTreeProps } from '#web/shared/folders/folder-tree.tsx'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import styles from './prompts.module.css'
import { useFolderSearch } from './use-folder-search.ts'

/** The tree of folders below a search field. Letters typed in the tree go into the field. */
export function FolderChooser(props: Omit<FolderTreeProps, 'found' | 'onType'>) {
  const { chosen, onChoose, onConfirm } = props
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const { found, isCurrent } = useFolderSearch(words)
  const first = found?.[0]
  // biome-ignore lint/correctness/useExhaustiveDependencies: only an answer chooses, not a click on another folder.
  useEffect(() => {
    // Enter then confirms the best match.
    if (first !== undefined) onChoose(first)
  }, [found])
  const [isConfirmed, setConfirmed] = useState(false)
  // Enter may have been pressed before the answer.
  const confirmsNow = isConfirmed && isCurrent && found?.includes(chosen)
  // biome-ignore lint/correctness/useExhaustiveDependencies: confirms once.
  useEffect(() => {
    if (confirmsNow) onConfirm()
  }, [confirmsNow])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape' && words) {
      // Clears the field, but does not close the dialog.
      event.stopPropagation()
      setWords('')
      return
    }
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
    event.preventDefault()
    if (event.key === 'ArrowDown') box.current?.querySelector<HTMLElement>('[role=tree]')?.focus()
    else if (!words) onConfirm()
    else setConfirmed(true)
  }
  return (
    <div ref={box} className={styles.chooser}>
      <SearchField
        ref={field}
        label={t`Search`}
        placeholder={t`Search`}
        value={words}
        maxLength={200}
        onChange={(words) => {
          setConfirmed(false)
          setWords(words)
        }}
        onKeyDown={onKeyDown}
      />
      <FolderTree {...props} found={found} onType={() => field.current?.focus()} />
      <p role="status" className={styles.note}>
        {found?.length === 0 && isCurrent ? t`Nothing found` : ''}
      </p>
    </div>
  )
}
