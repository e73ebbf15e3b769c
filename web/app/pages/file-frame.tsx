import { useLingui } from '@lingui/react/macro'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { runShortcut } from '#web/actions/registry.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { useNoteOpened } from '#web/features/bookmarks/note-opened.ts'
import { editor } from '#web/features/editor/document/editor-state.ts'
import { download } from '#web/features/files/operations/download.ts'
import { files, type OpenFile } from '#web/features/files/state/files-state.ts'
import { neighbour } from '#web/features/files/state/sequence.ts'
import { supportsFullScreen, toggleFullScreen } from '#web/features/preview/full-screen.tsx'
import { useIdle } from '#web/features/preview/idle.ts'
import { useSwipe } from '#web/features/preview/picture/swipe.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { announceContent, onContent } from '#web/shared/changes.ts'
import { currentAddress, navigateTo, pageOf, parentOf, paths } from '#web/shared/paths.ts'
import { permissions } from '#web/shared/session.ts'
import { onReversal } from '#web/shared/undo/history.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { contextOf, FileBar } from './file-bar.tsx'
import { FileContent } from './file-content.tsx'
import styles from './file-frame.module.css'
import { useNeighbours, usePreloading } from './neighbours.ts'
import { FilmStrip } from './viewer/film-strip.tsx'
import { nextSlide, startSlideShow, useSlideShow } from './viewer/slide-show.ts'
import { stripOf } from './viewer/strip-items.ts'
import { toggleFilmStrip, viewer } from './viewer/viewer-state.ts'

interface FileFrameProps {
  file: OpenFile
}

/** An open file above the page: its name, its actions, and the way back to its folder. */
export function FileFrame({ file }: FileFrameProps) {
  const { i18n } = useLingui()
  const frame = useRef<HTMLElement>(null)
  const mayDownload = permissions().download
  const save = () =>
    download(file.path).catch((error: unknown) => showToast('error', i18n._(problemText(codeOf(error)))))
  const turn = (by: 1 | -1) => {
    const next = neighbour(file, by)
    if (next) navigateTo(next.url, { replace: true })
  }
  const close = () => navigateTo(pageOf(parentOf(files.path)))
  const isIdle = useIdle(file.type === 'image' || file.type === 'video')
  // Another file is loading. Until then this one is shown, but inactive.
  const isBusy = useSnapshot(files).path !== file.path
  const edition = useEdition(file)
  useSwipe(frame, turn, file.type === 'video' ? close : undefined)
  useNeighbours(file)
  useNoteOpened(file.path)
  usePreloading(file, mayDownload)
  useSlideShow(file)
  const { hasFilmStrip } = useSnapshot(viewer)
  const strip = hasFilmStrip ? stripOf(file) : []
  // biome-ignore lint/correctness/useExhaustiveDependencies: the previous file may have had the focus.
  useEffect(() => {
    const { activeElement, body } = document
    if (isBusy || (frame.current?.contains(activeElement) && activeElement !== body)) return
    frame.current?.focus({ preventScroll: true })
  }, [file.path, isBusy])
  // Undo may have given an open file another content. The editor keeps text that is not saved.
  useEffect(
    () =>
      onReversal(async ({ done }) => {
        const isOpen = currentAddress() === paths.files(file.path)
        if (!isOpen || !done.some(({ path }) => path === file.path)) return
        if (editor.open) await editor.open.refresh()
        else announceContent(file.path)
      }),
    [file.path],
  )
  // Registered before the paint, so that a key pressed as soon as the file is visible works on a slow machine, too.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => onFileKey(event, file)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [file])
  return (
    <main
      ref={frame}
      tabIndex={-1}
      className={styles.frame}
      aria-label={file.name}
      aria-busy={isBusy}
      data-kind={file.type}
      data-idle={isIdle || undefined}
      data-part="file"
    >
      <FileBar file={file} isBusy={isBusy} onTurn={turn} />
      <div className={styles.content} inert={isBusy}>
        <FileContent
          key={edition}
          file={file}
          onTurn={turn}
          onClose={close}
          onDownload={mayDownload ? save : undefined}
        />
      </div>
      {strip.length > 0 && <FilmStrip items={strip} path={files.path} />}
    </main>
  )
}

/**
 * Shows the new content of a file that has got one, for example of a restored version. The editor loads it by itself;
 * for other files the result changes, so that they are shown again.
 */
function useEdition({ path, kind }: OpenFile): number {
  const [edition, setEdition] = useState(0)
  useEffect(
    () =>
      onContent((changed) => {
        if (changed !== path) return
        if (kind === 'editor') void editor.open?.refresh()
        else setEdition((before) => before + 1)
      }),
    [path, kind],
  )
  return edition
}

/** The shortcuts of an open file: close, next and previous, and its actions. */
function onFileKey(event: KeyboardEvent, file: OpenFile): void {
  if (!isPageShortcut(event) || isHeld(event)) return
  const isBusy = files.path !== file.path
  if (!isBusy && file.kind === 'editor' && onTextKey(event)) return
  const by = turnOf(event)
  const next = by && neighbour(file, by)
  if (next) {
    // Otherwise a video that has the focus would stop or start at Enter.
    event.preventDefault()
    navigateTo(next.url, { replace: true })
  } else if (event.key === 'Escape') navigateTo(pageOf(parentOf(files.path)))
  // Shortcuts must not affect the previous file.
  else if (isBusy) return
  else if (onViewerKey(event, file)) event.preventDefault()
  else if (changesFile(event) && editor.isDirty)
    void editor.open?.resolveUnsaved().then((isSettled) => isSettled && runShortcut(event, contextOf(file)))
  else if (runShortcut(event, contextOf(file))) event.preventDefault()
}

/** The shortcuts of the viewer. Returns whether the key was one. */
function onViewerKey(event: KeyboardEvent, file: OpenFile): boolean {
  if (isPlain(event, 'f') && supportsFullScreen(file)) toggleFullScreen()
  else if (isPlain(event, 't') && stripOf(file).length > 0) toggleFilmStrip()
  else if (isPlain(event, 's') && nextSlide(file)) startSlideShow()
  else return false
  return true
}

function isPlain({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, expected: string): boolean {
  return key.toLowerCase() === expected && !ctrlKey && !metaKey && !altKey
}

/** Whether a key is held down that would change one file after another. */
function isHeld(event: KeyboardEvent): boolean {
  return event.repeat && changesFile(event)
}

/** Renaming and deleting wait until there are no unsaved changes. */
function changesFile({ key }: KeyboardEvent): boolean {
  return key === 'F2' || key === 'Delete'
}

/** The shortcuts of a text; true if no other handler may have the event. */
function onTextKey(event: KeyboardEvent): boolean {
  const held = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
  const key = held ? event.key.toLowerCase() : ''
  // The editor handles all other keys, such as Escape and Delete, but not F1 for the help and Ctrl+I for Info.
  if (key !== 's' && key !== 'f') return isInText(event) && event.key !== 'F1' && key !== 'i'
  if (key === 's') void editor.open?.save()
  // If only the rendered text is visible, the browser's own search is used.
  if (key === 's' || editor.open?.find()) event.preventDefault()
  return true
}

function isInText({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('[data-keys=own]') !== null
}

/**
 * Right, Page down and Enter go to the next file, Left and Page up to the previous one. Left and Right are mirrored in
 * right-to-left languages. Videos keep these two.
 */
function turnOf(event: KeyboardEvent): 1 | -1 | undefined {
  const { key, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || hasOwnUse(event)) return undefined
  const [back, forward] = ['ArrowLeft', 'ArrowRight']
  const isRtl = document.documentElement.dir === 'rtl'
  if (key === 'PageUp' || key === (isRtl ? forward : back)) return -1
  return ['PageDown', 'Enter', isRtl ? back : forward].includes(key) ? 1 : undefined
}

/** Players handle the arrow keys themselves, music also Enter. Buttons and links handle only Enter. */
function hasOwnUse({ key, target }: KeyboardEvent): boolean {
  if (key.startsWith('Page')) return false
  const owners = key === 'Enter' ? 'audio, button, a' : 'audio, video'
  return target instanceof Element && target.closest(owners) !== null
}
