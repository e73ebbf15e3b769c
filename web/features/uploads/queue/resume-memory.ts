import { recall, remember } from '#web/shared/preferences.ts'
import { session } from '#web/shared/session.ts'
import { entryOf } from '#web/ui/format/entry-of.ts'

/** The server keeps what has come for a day; so is it remembered here, in milliseconds. */
const lifeMs = 24 * 60 * 60_000
const most = 100

/** Uploads by what they were begun with: their id, and when they were last heard of. */
type Known = Record<string, [id: string, at: number]>

/** What this device knows of the upload of one file to one place, also after the page was left. */
export interface Memory {
  /** Undefined: there is none to go on with. */
  id: string | undefined
  /** Remembers the upload; undefined forgets. */
  note(id: string | undefined): void
}

/** The memory of this very file, as far as a browser lets one tell it: its name, size and time, where it goes, and whose it is. */
export function memoryOf(path: string, body: Blob, override: boolean): Memory {
  const time = body instanceof File ? body.lastModified : 0
  const mark = hash([session.user?.id, path, body.size, time, override].join('\n'))
  return {
    id: entryOf(read(), mark)?.[0],
    note(id) {
      const { [mark]: _before, ...others } = read()
      const now: Known = id === undefined ? others : { ...others, [mark]: [id, Date.now()] }
      const kept = Object.entries(now).slice(-most)
      remember('uploads', kept.length > 0 ? JSON.stringify(Object.fromEntries(kept)) : undefined)
    },
  }
}

function read(): Known {
  try {
    const known = JSON.parse(recall('uploads') ?? '{}') as Known
    return Object.fromEntries(Object.entries(known).filter(([, [, at]]) => Date.now() - at < lifeMs))
  } catch {
    return {} // something else has written there
  }
}

/** 53 bits of a text (cyrb53): what lies open on the device names no files. */
function hash(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return `x${(4294967296 * (2097151 & b) + (a >>> 0)).toString(36)}`
}
