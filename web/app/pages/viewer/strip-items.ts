import type { FileView, Item } from '#contract/resources.ts'
import { isPreviewOnly } from '#web/api/preview-only.ts'
import { sequenceOf } from '#web/features/files/state/sequence.ts'
import { permissions } from '#web/shared/session.ts'

/** Whether a file is shown in the dark viewer. */
export function isViewed({ type }: Pick<FileView, 'type'>): boolean {
  return type === 'image' || type === 'video'
}

/** The pictures and videos for the film strip below `file`. Empty: the strip would show nothing besides the file. */
export function stripOf(file: Pick<FileView, 'path' | 'type'>): readonly Item[] {
  // Without this permission the viewer and the strip show no picture.
  if (!isViewed(file) || !(permissions().download || isPreviewOnly())) return []
  const items = sequenceOf(file).filter(isViewed)
  return items.length > 1 ? items : []
}
