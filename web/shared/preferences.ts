/**
 * Values stored on this device. Nothing else uses the storage of the browser; all other preferences are stored with the
 * user.
 */
const keys = {
  token: 'jwt',
  viewMode: 'coffer.view',
  side: 'coffer.side',
  openFolders: 'coffer.folders',
  tiles: 'coffer.tiles',
  wrap: 'coffer.wrap',
  markdown: 'coffer.markdown',
  frontMatter: 'coffer.front-matter',
  uploads: 'coffer.uploads',
  proxyLimit: 'coffer.proxy-limit',
  changes: 'coffer.changes',
  details: 'coffer.details',
  recent: 'coffer.recent',
  filmStrip: 'coffer.film-strip',
  positions: 'coffer.positions',
  visits: 'coffer.visits',
  notify: 'coffer.notify',
} as const

type Key = keyof typeof keys

/** Where a value is stored: changes, recent folders and visits of shares only for this tab, until it is closed. */
const storageOf = (key: Key): Storage =>
  ['changes', 'recent', 'visits'].includes(key) ? sessionStorage : localStorage

/** The stored text; undefined if there is none or the browser forbids storage. */
export function readStored(key: Key): string | undefined {
  try {
    return storageOf(key).getItem(keys[key]) ?? undefined
  } catch {
    // Storage may be disabled. The session then lasts as long as the page.
    return undefined
  }
}

/** Stores `value`; undefined removes it. */
export function writeStored(key: Key, value: string | undefined): void {
  try {
    if (value === undefined) storageOf(key).removeItem(keys[key])
    else storageOf(key).setItem(keys[key], value)
  } catch {
    // As above. The value is then not stored, which does no harm.
  }
}

/** Calls `changed` when another tab of this browser changes the value. */
export function onStoredChange(key: Key, changed: (value: string | undefined) => void): void {
  addEventListener('storage', (event) => {
    if (event.key === keys[key]) changed(event.newValue ?? undefined)
  })
}
