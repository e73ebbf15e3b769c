/** Lookups by a word of a caller, one of each kind. `house.test.ts` shows with them that its check finds such faults. */
export function planted(word: string, id: number, users: Record<string, string>): readonly unknown[] {
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
    // Not found: a fixed word, an array by its place, a text by its place.
    units.hours,
    [1, 2][id],
    word[id],
    fixed[key],
  ]
}
