import { subscribe } from 'valtio'
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

/** Forgets the folders when the user signs out: their names must not stay behind on a shared computer. Called once. */
export function forgetWithoutUser(): void {
  subscribe(session, () => {
    if (!session.user) writeStored('recent', undefined)
  })
}
