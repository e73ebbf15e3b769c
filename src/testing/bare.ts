/** Lookups by an unchecked word, one of each kind. `house.test.ts` verifies that its check finds them. */
export function plantedLookups(word: string, id: number, users: Record<string, string>): readonly unknown[] {
  const units: Record<string, number> = { hours: 3600 }
  const fixed = { hours: 3600 } as const
  const key = word as keyof typeof fixed
  return [
    units[word],
    word in units,
    fixed[word as 'hours'],
    users[id],
    { stdout: 1, stderr: 2 }[word],
    units[`${word}s`],
    // Allowed: a fixed word, an array by its index, a string by its index.
    units.hours,
    [1, 2][id],
    word[id],
    fixed[key],
  ]
}
