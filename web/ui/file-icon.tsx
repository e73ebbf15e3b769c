import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import styles from './file-icon.module.css'
import { fileKindOf } from './kinds/file-kind.ts'

export { fileKindOf }

interface FileIconProps {
  name: string
  isDir: boolean
  type: ResourceType
  /** Pixels. */
  size?: number
  /** Screen readers say `Folder` or `File`, in lists that have both. */
  isSaid?: boolean
}

/** The icon of a file's kind (`kinds/kind-shapes.ts`). */
export function FileIcon({ name, isDir, type, size = 20, isSaid }: FileIconProps) {
  const kind = fileKindOf(name, isDir, type)
  const said = isSaid
    ? ({ role: 'img', 'aria-label': i18n._(isDir ? msg`Folder` : msg`File`) } as const)
    : { 'aria-hidden': true }
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: `said` has a label, or hides it.
    <svg className={styles.icon} data-kind={kind} width={size} height={size} {...said}>
      <use href={`#kind-${kind}`} />
    </svg>
  )
}
