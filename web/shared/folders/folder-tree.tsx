import { useLingui } from '@lingui/react/macro'
import { ChevronRight, Folder } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { fold } from '#web/ui/format/fold.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './folder-tree.module.css'

/** The child folders of each loaded folder, by its path. */
export type Branches = Readonly<Record<string, readonly string[]>>

export interface FolderTreeProps {
  branches: Branches
  open: ReadonlySet<string>
  chosen: string
  /** The result of a search, by path: shown in place of the tree. */
  found?: readonly string[] | undefined
  /** Folders that do not exist yet. */
  planned?: ReadonlySet<string>
  /** The name of the root. Missing: My files. */
  rootName?: string
  /** Another element of the dialog takes the focus first. */
  skipsInitialFocus?: boolean
  onChoose(path: string): void
  /** Called when the user confirms the selected folder. */
  onConfirm(): void
  /** Called to open or close a folder. */
  onToggle(path: string, isOpen: boolean): void
  /** Called before a letter is typed. Missing: letters choose the next folder that begins with it. */
  onType?(): void
}

/**
 * The folders as a tree. Arrow keys move through it; right opens and left closes (ARIA, tree view pattern), reversed in
 * right-to-left pages.
 */
export function FolderTree(props: FolderTreeProps) {
  const { branches, open, chosen, found, skipsInitialFocus, onChoose, onConfirm, onToggle, onType } = props
  const { planned, rootName } = props
  const { t } = useLingui()
  const id = useId()
  const tree = useRef<HTMLDivElement>(null)
  const rows = found?.map((path) => ({ path, level: 1 })) ?? rowsOf(branches, open)
  const at = rows.findIndex((row) => row.path === chosen)
  useEffect(() => {
    // The selected folder must be visible, after key presses and at the start.
    tree.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, at the start.
  useEffect(() => {
    if (!skipsInitialFocus) tree.current?.focus({ preventScroll: true })
  }, [])
  const type = (letter: string) => {
    const next = onType ? onType() : nextNamed(letter, rows, at)
    if (next) onChoose(next.path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      onConfirm()
      return
    }
    if (isLetter(event)) return type(event.key)
    const step = keyStep(event.key, rows, at, open)
    if (!step) return
    event.preventDefault()
    event.stopPropagation()
    if (step.toggle === undefined) onChoose(step.path)
    else onToggle(step.path, step.toggle)
  }
  return (
    <div
      ref={tree}
      role="tree"
      aria-label={t`Folders`}
      tabIndex={0}
      aria-activedescendant={at >= 0 ? `${id}${at}` : undefined}
      className={styles.tree}
      onKeyDown={onKeyDown}
    >
      {rows.map(({ path, level }, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys for all of its items.
        // biome-ignore lint/a11y/useFocusableInteractive: the tree names its current item (aria-activedescendant).
        <div
          key={path}
          id={`${id}${n}`}
          role="treeitem"
          aria-level={level}
          aria-selected={path === chosen}
          aria-expanded={found || ownEntry(branches, path)?.length === 0 ? undefined : open.has(path)}
          className={styles.item}
          style={{ paddingInlineStart: `${(level - 1) * 1.25 + 0.25}rem` }}
          onClick={() => onChoose(path)}
          onDoubleClick={() => onToggle(path, !open.has(path))}
        >
          <span
            className={styles.twist}
            aria-hidden
            data-open={open.has(path) || undefined}
            data-none={found || ownEntry(branches, path)?.length === 0 || undefined}
            onClick={(event) => {
              event.stopPropagation()
              onToggle(path, !open.has(path))
            }}
          >
            <ChevronRight size={16} />
          </span>
          <Folder size={18} strokeWidth={1.8} aria-hidden />
          <bdi>{shownName(nameOf(path)) || (rootName ?? t`My files`)}</bdi>
          {planned?.has(path) && <span className={styles.place}>{t`new`}</span>}
          {found && <bdi className={styles.place}>{shownName(parentOf(path).slice(1, -1))}</bdi>}
        </div>
      ))}
    </div>
  )
}

/** The key writes a character. */
function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return [...key].length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey
}

/** The next row whose name begins with this letter, after the current one and from the top again. */
function nextNamed(letter: string, rows: readonly Row[], at: number): Row | undefined {
  const order = [...rows.slice(at + 1), ...rows.slice(0, at + 1)]
  return order.find(({ path }) => fold(nameOf(path)).startsWith(fold(letter)))
}

interface Row {
  path: string
  level: number
}

/** The visible folders, from top to bottom. */
export function rowsOf(branches: Branches, open: ReadonlySet<string>, path = '/', level = 1): Row[] {
  const children = open.has(path) ? (ownEntry(branches, path) ?? []) : []
  return [{ path, level }, ...children.flatMap((child) => rowsOf(branches, open, child, level + 1))]
}

interface Step {
  path: string
  /** Opens or closes the folder instead of moving to it. */
  toggle?: boolean
}

function keyStep(key: string, rows: readonly Row[], at: number, open: ReadonlySet<string>): Step | undefined {
  const here = rows[at]
  const isOpen = here !== undefined && open.has(here.path)
  const goTo = (index: number): Step | undefined => rows[index] && { path: rows[index].path }
  if (key === 'ArrowDown') return goTo(at + 1)
  if (key === 'ArrowUp') return goTo(at - 1)
  if (key === 'Home') return goTo(0)
  if (key === 'End') return goTo(rows.length - 1)
  if (!here) return undefined
  if (key === openKey()) return isOpen ? goTo(at + 1) : { path: here.path, toggle: true }
  if (key === closeKey()) return isOpen ? { path: here.path, toggle: false } : { path: parentOf(here.path) }
  return undefined
}

/** The key that opens a folder, by the writing direction. */
function openKey(): string {
  return document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
}

function closeKey(): string {
  return openKey() === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight'
}
