import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { problemText } from '#web/api/problems/problem-text.ts'
import { nameError } from '#web/shared/names/name-rule.ts'

/** The old and the new name of an item, and why the new one cannot be used. */
export interface NamePair {
  from: string
  to: string
  error: MessageDescriptor | undefined
}

/** Checks new names. `others` are the names of the folder's other items. */
export function checkNames(
  from: readonly string[],
  to: readonly string[],
  others: ReadonlySet<string>,
): NamePair[] {
  const counts = new Map<string, number>()
  for (const name of to) counts.set(name, (counts.get(name) ?? 0) + 1)
  return from.map((name, index) => {
    const next = to[index] ?? name
    return {
      from: name,
      to: next,
      error: next === name && counts.get(next) === 1 ? undefined : errorOf(next),
    }
  })

  function errorOf(name: string): MessageDescriptor | undefined {
    if (!name) return msg`This name is empty.`
    if (others.has(name)) return problemText('path.exists')
    if ((counts.get(name) ?? 0) > 1) return msg`Several items would get this name.`
    return nameError(name)
  }
}
