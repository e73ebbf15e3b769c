import { proxy, ref } from 'valtio'

/** The decoded paths of the starred files and folders, without closing slashes. The feature `bookmarks` sets them. */
export const stars = proxy({
  paths: ref<ReadonlySet<string>>(new Set()),
  /** The folders among them that are there, the last starred first. */
  folders: ref<readonly string[]>([]),
})

/** Whether a file or folder is starred. A folder may have a closing slash. */
export function isStarred(path: string): boolean {
  return stars.paths.has(path.replace(/\/$/, ''))
}
