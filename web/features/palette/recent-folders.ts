import { subscribe } from 'valtio'
import { onChange, pathAfter } from '#web/shared/changes.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'
import { session } from '#web/shared/session.ts'

const maxFolders = 6

/** The decoded paths of the folders that the user has opened last in this tab, the newest first. */
export function recentFolders(): readonly string[] {
  try {
    const { user, paths } = JSON.parse(readStored('recent') ?? '{}') as { user?: number; paths?: unknown }
    // Another user may have signed in.
    const isOwn = user !== undefined && user === session.user?.id && Array.isArray(paths)
    return isOwn ? paths.filter((path) => typeof path === 'string') : []
  } catch {
    // Not stored by this page. The list starts again.
    return []
  }
}

/** Remembers that the user has opened a folder. */
export function rememberFolder(path: string): void {
  const user = session.user?.id
  if (user === undefined || recentFolders()[0] === path) return
  const paths = [path, ...recentFolders().filter((one) => one !== path)].slice(0, maxFolders)
  writeStored('recent', JSON.stringify({ user, paths }))
}

/** Follows folders that are renamed or moved, and forgets all when the user signs out. Called once. */
export function followFolders(): void {
  onChange(({ moved }) => {
    if (!moved || !session.user) return
    const paths = recentFolders().map((path) => pathAfter(path, moved))
    writeStored('recent', JSON.stringify({ user: session.user.id, paths }))
  })
  // Names of folders must not stay behind on a shared computer.
  subscribe(session, () => {
    if (!session.user) writeStored('recent', undefined)
  })
}
