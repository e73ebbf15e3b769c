import { isDeepStrictEqual } from 'node:util'

/**
 * Returns the names of the fields that differ between two records, such as `scope` and `perm.admin`, in the order of the
 * alphabet. Only names, because values may be secret. Lists count as one field.
 */
export function changedNames(before: object, after: object): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const names = [...new Set([...old.keys(), ...now.keys()])].sort()
  return names.flatMap((name) => {
    const [from, to] = [old.get(name), now.get(name)]
    if (isDeepStrictEqual(from, to)) return []
    if (!isPlain(from) || !isPlain(to)) return [name]
    return changedNames(from, to).map((inner) => `${name}.${inner}`)
  })
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
