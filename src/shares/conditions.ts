import type { GivenConditions, ShareConditions } from '#contract/shares.ts'
import { Problem } from '#src/core/problem.ts'
import { parseTime } from '#src/core/text/rfc3339.ts'
import type { ShareRecord } from '#src/state/state.ts'

/** A name in an address. It may look like the id of a share, so it is compared with all of them. */
const slugFormat = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const typeFormat = /^(\.[^\s/\\.]+|[\w.+-]+\/([\w.+-]+|\*))$/

/** The form of a slug under which it is found: upper and lower case are the same. */
export function slugKey(text: string): string {
  return text.toLowerCase()
}

/**
 * The conditions of a share after a request.
 *
 * @param before the conditions until now; undefined: there were none
 * @returns undefined: there are none
 * @throws Problem `request.invalid`, which names the field.
 */
export function changedConditions(
  before: ShareConditions | undefined,
  given: GivenConditions,
): ShareConditions | undefined {
  const checked: GivenConditions = { ...given }
  if (given.starts) checked.starts = timeOf(given.starts)
  if (given.slug) checked.slug = slugOf(given.slug)
  if (given.types) checked.types = given.types.map(typeOf)
  for (const name of ['title', 'message', 'from'] as const) {
    const text = given[name]?.trim()
    if (text !== undefined) checked[name] = text === '' ? null : text
  }
  if (given.look && Object.keys(given.look).length === 0) checked.look = null
  const all = Object.entries({ ...before, ...checked })
  const kept = all.filter(([, value]) => value !== null && value !== undefined && value !== false)
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as ShareConditions)
}

/** @throws Problem `request.invalid` for a share that ends before it starts. */
export function refuseEmptyTime({ conditions, expire }: Pick<ShareRecord, 'conditions' | 'expire'>): void {
  const { starts } = conditions ?? {}
  if (starts && expire !== 0 && Date.parse(starts) >= expire * 1000)
    throw invalid('starts', 'must be before the end of the share')
}

function timeOf(text: string): string {
  const time = parseTime(text)
  if (time === undefined) throw invalid('starts', 'is not a time of RFC 3339')
  return new Date(time).toISOString()
}

function slugOf(text: string): string {
  const slug = slugKey(text)
  if (!slugFormat.test(slug))
    throw invalid('slug', 'must have only letters, digits and single hyphens between them')
  return slug
}

function typeOf(text: string): string {
  const type = text.trim().toLowerCase()
  if (!typeFormat.test(type))
    throw invalid('types', 'must be extensions such as .pdf or media types such as image/*')
  return type
}

export function invalid(field: string, reason: string): Problem {
  return new Problem('request.invalid', { field, reason })
}

/** Whether visitors can use the share now, as far as its start and a pause are concerned. */
export function isOpen({ conditions }: Pick<ShareRecord, 'conditions'>, now: number): boolean {
  if (conditions?.paused) return false
  return !conditions?.starts || Date.parse(conditions.starts) <= now
}

/** Whether the share accepts a file with this media type and extension (with the dot; empty: none). */
export function acceptsType(
  { types }: ShareConditions,
  { mediaType = '', extension }: { mediaType: string | undefined; extension: string },
): boolean {
  if (!types || types.length === 0) return true
  return types.some((type) => {
    if (type.startsWith('.')) return type === extension.toLowerCase()
    return type.endsWith('/*') ? mediaType.startsWith(type.slice(0, -1)) : type === mediaType
  })
}
