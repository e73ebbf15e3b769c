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
}

/** The icon of a file's kind (`kinds/kind-shapes.ts`). Hidden from screen readers, because it adds nothing to the name. */
export function FileIcon({ name, isDir, type, size = 20 }: FileIconProps) {
  const kind = fileKindOf(name, isDir, type)
  return (
    <svg className={styles.icon} data-kind={kind} width={size} height={size} aria-hidden>
      <use href={`#kind-${kind}`} />
    </svg>
  )
}
