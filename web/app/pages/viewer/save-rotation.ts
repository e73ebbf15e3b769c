import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { FileView } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { origin, readResource } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { rawBlob } from '#web/api/raw.ts'
import { showPath } from '#web/features/files/state/files-state.ts'
import { turnJpeg } from '#web/features/preview/picture/jpeg-orientation.ts'
import { announceChange, announceContent } from '#web/shared/changes.ts'
import { parentOf } from '#web/shared/paths.ts'
import { permissions } from '#web/shared/session.ts'
import { rotatedText } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** Exif data is in the first segments, of 64 KiB at most each. The picture follows them. */
const headBytes = 512 * 1024
/** Larger pictures are not kept in the memory of the page, in bytes. */
const maxBytes = 256 * 1024 * 1024

/** The function that saves a picture turned; undefined if the user may not, or if it is no JPEG: only these are turned without loss. */
export function rotatorFor(
  file: FileView,
  isPart: boolean,
): ((quarters: number) => Promise<boolean>) | undefined {
  const { modify, download } = permissions()
  const mayChange = !isPart && !origin.link && modify && download
  const canTurn = file.size <= maxBytes && /\.(jpe?g|jfif)$/i.test(file.name)
  return mayChange && canTurn ? (quarters) => saveRotation(file, quarters) : undefined
}

/**
 * Saves a JPEG turned to the right by quarters. Its pixels stay as they are, only its orientation changes. Refused if another
 * user has changed the file meanwhile. Shows what went wrong, and returns whether it was saved.
 */
async function saveRotation({ path, name }: FileView, quarters: number): Promise<boolean> {
  const { signal } = new AbortController()
  try {
    let etag = ''
    const onEtag = (now: string) => {
      etag = now
    }
    await readResource(path, { signal, onEtag })
    const content = await rawBlob(path, 'image/jpeg', signal)
    const head = new Uint8Array(await content.slice(0, headBytes).arrayBuffer())
    const patch = turnJpeg(head, quarters)
    if (!patch) {
      showToast('error', i18n._(msg`This picture can't be rotated.`))
      return false
    }
    const bytes = new Blob([content.slice(0, patch.from), patch.bytes, content.slice(patch.to)])
    await recorded({ text: rotatedText(name) }, (onOperation) =>
      api(
        'PUT /api/resources/*',
        { params: { '*': path } },
        { bytes, headers: { 'If-Match': etag }, onOperation },
      ),
    )
  } catch (error) {
    showToast('error', i18n._(problemText(codeOf(error))))
    return false
  }
  announceChange(parentOf(path))
  await showPath(path)
  announceContent(path)
  return true
}
