import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** The longest name a disk holds, in bytes of UTF-8. */
const longestName = 255

/** Why nothing can be called `name`, which is trimmed; undefined when it can, and for an empty one, which is no mistake yet. */
export function nameProblem(name: string): MessageDescriptor | undefined {
  if (/^\.{1,2}$/.test(name) || /[/\\]/.test(name)) {
    return msg`A name can't be “.” or “..” or contain a slash.`
  }
  if (/\p{Cc}/u.test(name)) return msg`A name can't contain invisible control characters.`
  if (new TextEncoder().encode(name).length > longestName) return msg`This name is too long.`
  return undefined
}

/** The ending of a file's name, as far as programs go by it: `.txt`; empty when there is none. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && dot < name.length - 1 ? name.slice(dot).toLowerCase() : ''
}
