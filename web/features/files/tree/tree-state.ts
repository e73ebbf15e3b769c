import { i18n } from '@lingui/core'
import { proxy, ref, subscribe } from 'valtio'
import { api } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { type Move, onChange, pathAfter } from '#web/shared/changes.ts'
import { mayConcernList, onLiveChange } from '#web/shared/live/live-changes.ts'
import { folderNames } from '#web/shared/names/folder-names.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'
import { readyUserId, session } from '#web/shared/session.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** At most this many folders inside one folder are shown. The list shows all of them. */
export const maxChildren = 500
/** At most this many open folders are remembered. Each costs a request when the page loads. */
const maxRemembered = 40
/** Delay that groups changes into one request, in milliseconds. Uploads finish by the hundred. */
const groupMs = 500

/** The folders in the sidebar. Paths are decoded and end with a slash. */
export const tree = proxy({
  /** The names of the folders inside each loaded folder. */
  branches: ref(new Map()) as ReadonlyMap<string, readonly string[]>,
  open: ref(new Set()) as ReadonlySet<string>,
})

/** Opens the folder at `path`. Its folders are loaded each time, so that they are up to date. */
export async function openFolder(path: string): Promise<void> {
  setOpen([...tree.open, path])
  try {
    await load(path)
  } catch (error) {
    setOpen([...tree.open].filter((one) => one !== path))
    showToast('error', i18n._(problemText(codeOf(error))))
  }
}

/** Closes the folder at `path`. The folders inside stay open in it. */
export function closeFolder(path: string): void {
  setOpen([...tree.open].filter((one) => one !== path))
}

function setOpen(open: readonly string[]): void {
  tree.open = ref(new Set(open))
  const { user } = session
  if (user) writeStored('openFolders', JSON.stringify({ user: user.id, open: open.slice(-maxRemembered) }))
}

async function load(path: string): Promise<void> {
  const listing = await api('GET /api/resources/*', { params: { '*': path }, query: {} })
  setChildren(path, 'items' in listing ? folderNames(listing, i18n.locale) : [])
}

function setChildren(path: string, names: readonly string[]): void {
  tree.branches = ref(new Map([...tree.branches, [path, names]]))
}

/** Loads the folders that were open on this device. Folders that are gone are forgotten. */
async function restore(): Promise<void> {
  const open = remembered()
  tree.branches = ref(new Map())
  tree.open = ref(new Set(open))
  if (files.folder && tree.open.has(files.folder.path))
    setChildren(files.folder.path, folderNames(files.folder, i18n.locale))
  for (const path of open) {
    if (tree.branches.has(path)) continue
    // A folder may be gone or forbidden now. It is then shown closed, without an error that no one asked for.
    await load(path).catch((error: unknown) => {
      const open = [...tree.open].filter((one) => one !== path)
      if (/^path\./.test(codeOf(error))) setOpen(open)
      // It is still there. The page opens it again when it is loaded the next time.
      else tree.open = ref(new Set(open))
    })
  }
}

function remembered(): readonly string[] {
  const top = ['/']
  try {
    const { user, open } = JSON.parse(readStored('openFolders') ?? '{}')
    return user === session.user?.id && Array.isArray(open)
      ? open.filter((one) => typeof one === 'string')
      : top
  } catch {
    // Another version may have written it.
    return top
  }
}

/** Open folders that have changed and were not loaded since. */
const changed = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Loads the open folders again that have changed, after a delay. */
function reloadLater(isChanged: (path: string) => boolean): void {
  for (const path of tree.branches.keys()) if (isChanged(path)) changed.add(path)
  if (changed.size > 0 && timer === undefined) timer = setTimeout(reload, groupMs)
}

function reload(): void {
  timer = undefined
  for (const path of changed) {
    // The list loads its own folder again, and the tree follows the list.
    if (path === files.folder?.path) continue
    changed.delete(path)
    if (tree.open.has(path)) load(path).catch(() => undefined)
    // Closed folders are loaded when they are opened again. Until then, it is not known whether they are empty.
    else tree.branches = ref(new Map([...tree.branches].filter(([one]) => one !== path)))
  }
}

/** What the list showed at the last change of its state. */
let listed: typeof files.folder

/** Takes the folders from the list, which has just been loaded, so that they need no request. */
function followList(): void {
  const { folder } = files
  // A share shows folders of another user.
  if (!folder || origin.link || folder.expected || folder.items === listed?.items) return
  // The user may leave a folder before the list has loaded it again.
  if (folder.path !== listed?.path) reloadLater(() => false)
  listed = folder
  changed.delete(folder.path)
  const names = folderNames(folder, i18n.locale)
  // A closed folder that is known to be empty has no arrow.
  if (tree.open.has(folder.path) || tree.branches.has(folder.path) || names.length === 0)
    setChildren(folder.path, names)
}

/** Keeps folders open that were renamed or moved. Their new names come with the folders around them. */
function followMoves(moved: readonly Move[]): void {
  const open = [...tree.open].map((path) => pathAfter(path, moved))
  if (open.every((path) => tree.open.has(path))) return
  tree.branches = ref(new Map([...tree.branches].map(([path, names]) => [pathAfter(path, moved), names])))
  setOpen(open)
}

let owner: number | undefined

function followUser(): void {
  const id = readyUserId()
  if (id === owner) return
  owner = id
  if (id !== undefined) void restore()
  // Names of folders must not stay behind on a shared computer.
  else writeStored('openFolders', undefined)
}

let language: string

/** Loads the open folders again after a change of the language, which has its own order of names. */
function followLanguage(): void {
  // The event is also that of new messages.
  if (i18n.locale === language) return
  language = i18n.locale
  reloadLater(() => true)
}

/** Keeps the open folders as they are on the server, and loads those of the user who signs in. Called once. */
export function followTree(): void {
  onChange(({ folders, moved = [] }) => {
    if (moved.length > 0) followMoves(moved)
    reloadLater((path) => folders === undefined || folders.includes(path))
  })
  onLiveChange((change) => reloadLater((path) => mayConcernList(change, path)))
  language = i18n.locale
  i18n.on('change', followLanguage)
  subscribe(session, followUser)
  subscribe(files, followList)
  followUser()
}
