import { ref } from 'valtio'
import { etagOf } from '#web/api/history/events.ts'
import { origin, readResource } from '#web/api/origin.ts'
import { files, type OpenFile } from '#web/features/files/state/files-state.ts'
import { announceContent } from '#web/shared/changes.ts'
import { type LiveChange, mayConcern } from '#web/shared/live/live-changes.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'

// The shortest time between two requests, in milliseconds.
const pauseMs = 1000

let timer: ReturnType<typeof setTimeout> | undefined
let checkedAt = Number.NEGATIVE_INFINITY
let isChecking = false
let isBehind = false

/** How an open text learns that the file may have another version. */
export type NoticeVersion = (readEtag: () => Promise<string | undefined>) => Promise<void>

/** Whether a change may concern the open file. */
export function concernsFile(change: LiveChange): boolean {
  const { file } = files
  return (
    !origin.link && file?.path === files.path && mayConcern(change, parentOf(file.path), nameOf(file.path))
  )
}

/** Checks soon whether the open file has another version, and shows it. A text tells `noticeVersion`. */
export function checkFileSoon(noticeVersion: () => NoticeVersion | undefined): void {
  isBehind = true
  if (isChecking || timer !== undefined) return
  timer = setTimeout(
    () => {
      timer = undefined
      void check(noticeVersion)
    },
    Math.max(0, checkedAt + pauseMs - performance.now()),
  )
}

async function check(noticeVersion: () => NoticeVersion | undefined): Promise<void> {
  const { file } = files
  isBehind = false
  if (!file || file.path !== files.path || isPlaying()) return
  isChecking = true
  try {
    const readEtag = () => etagOf(file.path, AbortSignal.timeout(60_000))
    const notice = file.kind === 'editor' ? noticeVersion() : undefined
    if (notice) return await notice(readEtag)
    const etag = await readEtag()
    const isShown = files.file?.path === file.path && files.path === file.path
    // A file that has gone stays visible, as far as the browser has it. A text that is not open, because another page is
    // shown, will be opened with its new content.
    if (isShown && etag !== undefined && etag !== file.etag) await showAgain(file)
  } catch {
    // The next change or the next connection checks again.
  } finally {
    checkedAt = performance.now()
    isChecking = false
    if (isBehind) checkFileSoon(noticeVersion)
  }
}

async function showAgain(file: OpenFile): Promise<void> {
  let etag = ''
  const onEtag = (now: string) => {
    etag = now
  }
  const view = await readResource(file.path, { signal: AbortSignal.timeout(60_000), onEtag })
  if (files.file?.path !== file.path || files.path !== file.path || 'items' in view) return
  files.file = ref({ ...view, etag })
  announceContent(file.path)
}

/** Whether a film or a song is playing, which must not begin again. */
function isPlaying(): boolean {
  const player = document.querySelector<HTMLMediaElement>('[data-part=file] :is(audio, video)')
  return player !== null && !player.paused
}
