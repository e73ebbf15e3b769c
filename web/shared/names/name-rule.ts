import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** The maximum length of a file name, in bytes of UTF-8. */
const maxNameBytes = 255

/** Why `name` (trimmed) is invalid; undefined when it is valid or empty, which is not an error yet. */
export function nameError(name: string): MessageDescriptor | undefined {
  if (/^\.{1,2}$/.test(name) || /[/\\]/.test(name)) {
    return msg`A name can't be “.” or “..” or contain a slash.`
  }
  if (/\p{Cc}/u.test(name)) return msg`A name can't contain invisible control characters.`
  if (new TextEncoder().encode(name).length > maxNameBytes) return msg`This name is too long.`
  return undefined
}

/** The file extension that programs use: `.txt`; empty when there is none. */
export function fileExtension(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && dot < name.length - 1 ? name.slice(dot).toLowerCase() : ''
}
