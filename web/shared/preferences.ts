/** What this device remembers. The only user of `localStorage`; everything else follows the person (user record). */
const keys = {
  token: 'jwt',
  viewMode: 'coffer.view',
  wrap: 'coffer.wrap',
  markdown: 'coffer.markdown',
  uploads: 'coffer.uploads',
} as const

type Key = keyof typeof keys

/** The remembered text, or undefined when there is none or the browser forbids storage. */
export function recall(key: Key): string | undefined {
  try {
    return localStorage.getItem(keys[key]) ?? undefined
  } catch {
    // Storage may be switched off: the session then lasts as long as the page.
    return undefined
  }
}

/** Remembers `value`; undefined forgets. */
export function remember(key: Key, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(keys[key])
    else localStorage.setItem(keys[key], value)
  } catch {
    // As above: nothing is lost but the memory of it.
  }
}

/** Calls `changed` when another tab of this browser changes the value. */
export function onRecall(key: Key, changed: (value: string | undefined) => void): void {
  addEventListener('storage', (event) => {
    if (event.key === keys[key]) changed(event.newValue ?? undefined)
  })
}
