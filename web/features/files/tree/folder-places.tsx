import { useLingui } from '@lingui/react/macro'
import { ChevronRight, Folder } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import { PageLink } from '#web/shared/page-link.tsx'
import { parentOf, paths, resourceIn } from '#web/shared/paths.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './folder-places.module.css'
import { letterStep, type TreeRow, treeRows, treeStep } from './tree-rows.ts'
import { closeFolder, maxChildren, openFolder, tree } from './tree-state.ts'

interface FolderPlacesProps {
  /** Called before the page changes. Closes the drawer on narrow screens. */
  onAct(): void
}

/**
 * The folders of the user in the sidebar, below a title that hides them. Items can be dropped on each folder
 * (`pointer/drag.ts`).
 */
export function FolderPlaces({ onAct }: FolderPlacesProps) {
  const { t } = useLingui()
  const { branches, open } = useSnapshot(tree)
  const isShown = open.has('/')
  const rows = treeRows(branches, open, maxChildren)
  const hasNone = isShown && branches.has('/') && rows.length === 0
  return (
    <>
      <button
        type="button"
        className={styles.twist}
        data-open={isShown || undefined}
        data-part="twist"
        aria-expanded={isShown}
        aria-label={isShown ? t`Hide folders` : t`Show folders`}
        hidden={hasNone}
        onClick={() => (isShown ? closeFolder('/') : void openFolder('/'))}
      >
        <ChevronRight size={14} aria-hidden />
        <span>{t`Folders`}</span>
      </button>
      {rows.length > 0 && <Tree rows={rows} onAct={onAct} />}
    </>
  )
}

/** The row of the shown folder, or of the one around it. */
function markedRow(tree: Element): Element | null {
  return tree.querySelector('[aria-current], [data-within]')
}

/**
 * Scrolls the marked row into sight when the tree gets lower, for example because the disk usage has arrived below it.
 * Does nothing if the user has scrolled it out of sight. Returns a function that ends this.
 */
function keepInSight(tree: HTMLElement): () => void {
  let height = tree.clientHeight
  const observer = new ResizeObserver(() => {
    const row = markedRow(tree)
    const bottom = (row?.getBoundingClientRect().bottom ?? 0) - tree.getBoundingClientRect().top
    if (bottom > 0 && bottom <= height + 1) row?.scrollIntoView({ block: 'nearest' })
    height = tree.clientHeight
  })
  observer.observe(tree)
  return () => observer.disconnect()
}

interface TreeProps extends FolderPlacesProps {
  rows: readonly TreeRow[]
}

function Tree({ rows, onAct }: TreeProps) {
  const { t } = useLingui()
  const { branches, open } = useSnapshot(tree)
  const path = resourceIn(usePathname())
  const shown = path?.endsWith('/') === false ? parentOf(path) : path
  const [focused, setFocused] = useState<string>()
  const element = useRef<HTMLDivElement>(null)
  // One row takes part in the order of the Tab key: the last focused one, the shown one, or the first.
  const known = (one: string | undefined) => rows.some((row) => row.path === one)
  const isListed = known(shown)
  // The shown folder, or the one around it whose folders are hidden.
  const nearest = isListed ? shown : rows.findLast((row) => shown?.startsWith(row.path))?.path
  // The folders may arrive after the page has changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder is the nearest one.
  useEffect(() => {
    if (element.current) markedRow(element.current)?.scrollIntoView({ block: 'nearest' })
  }, [nearest])
  useEffect(() => (element.current ? keepInSight(element.current) : undefined), [])
  const stop = known(focused) ? focused : isListed ? shown : rows[0]?.path
  const focusAt = (index: number) =>
    element.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[index]?.focus()
  const toggle = ({ path }: TreeRow, opens: boolean) => (opens ? void openFolder(path) : closeFolder(path))
  const act = (key: string): boolean => {
    const index = rows.findIndex((row) => row.path === stop)
    const row = rows[index]
    if (!row) return false
    const step = letterStep(key, rows, index) ?? treeStep(key, rows, index, open.has(row.path))
    if (!step) return false
    if ('to' in step) focusAt(step.to)
    else toggle(row, step.opens)
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !act(event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={element}
      role="tree"
      aria-label={t`Folders`}
      className={styles.tree}
      data-part="tree"
      onKeyDown={onKeyDown}
    >
      {rows.map((row) => {
        const isOpen = open.has(row.path)
        const isEmpty = branches.get(row.path)?.length === 0
        return (
          <PageLink
            key={row.path}
            to={paths.files(row.path)}
            role="treeitem"
            aria-level={row.level}
            aria-expanded={isEmpty ? undefined : isOpen}
            aria-current={row.path === shown ? 'page' : undefined}
            data-within={(!isListed && row.path === nearest) || undefined}
            tabIndex={row.path === stop ? 0 : -1}
            className={styles.folder}
            style={{ paddingInlineStart: `${Math.min(row.level, 8) * 0.875 - 0.375}rem` }}
            data-folder={row.path}
            data-full={row.name}
            onFocus={() => setFocused(row.path)}
            onClick={(event) => {
              if (event.target instanceof Element && event.target.closest('[data-twist]')) {
                event.preventDefault()
                toggle(row, !isOpen)
              } else onAct()
            }}
          >
            <span data-twist data-open={isOpen || undefined} data-none={isEmpty || undefined}>
              <ChevronRight size={14} aria-hidden />
            </span>
            <Folder size={16} strokeWidth={1.8} aria-hidden />
            <bdi>{shownName(row.name)}</bdi>
          </PageLink>
        )
      })}
    </div>
  )
}
