// Orders tests by the words that they share with files.
import { existsSync, readFileSync } from 'node:fs'

/**
 * Returns these tests, those first that share the most words with the files, in their paths and their texts. A word counts
 * more if fewer tests contain it (its inverse document frequency). Tests with more words need more in common.
 */
export function orderBySharedWords(tests: readonly string[], files: readonly string[]): string[] {
  const wordsIn = new Map(tests.map((test) => [test, wordsOf(test)]))
  const frequency = new Map<string, number>()
  for (const words of wordsIn.values()) {
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  }
  const weight = (word: string) => Math.log(tests.length / (frequency.get(word) ?? 1)) ** 2
  const sum = (words: Iterable<string>) => [...words].reduce((total, word) => total + weight(word), 0)
  const wanted = new Set(files.flatMap((file) => [...wordsOf(file)]))
  const similarity = new Map(
    [...wordsIn].map(([test, words]) => [
      test,
      sum([...words].filter((word) => wanted.has(word))) / Math.sqrt(sum(words) || 1),
    ]),
  )
  return [...tests].sort((a, b) => (similarity.get(b) ?? 0) - (similarity.get(a) ?? 0))
}

/** The words of a file and of its path. A name such as `isSignedIn` is several words. */
function wordsOf(file: string): Set<string> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const separated = `${file} ${text}`.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return new Set(separated.toLowerCase().match(/[a-z]{3,}/g))
}
