import type { Version } from '#contract/history/kept.ts'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import type { ContentSource } from '#web/api/history/kept.ts'

/** A file whose versions are shown. */
export interface VersionedFile {
  /** Decoded. */
  path: string
  name: string
  type: ResourceType
  /** Bytes and RFC 3339, of the current content. */
  size: number
  modified: string
}

/** The id of the current content among the versions. */
export const currentId = 'current'

/** The content of `file` with this id. */
export function sourceOf(file: VersionedFile, id: string): ContentSource {
  return id === currentId ? { path: file.path } : { path: file.path, version: id }
}

/** Size in bytes and time of the last change (RFC 3339) of the content with this id. */
export function factsOf(file: VersionedFile, versions: readonly Version[], id: string) {
  return versions.find((version) => version.id === id) ?? file
}
