// Finds the tests that a change concerns. A test belongs to a file if it imports it, directly or not. Page tests drive
// the page that was built, so their imports do not name its code. For these, folders decide (see `pageTests`).
// Two kinds of tests cannot be found like this: those that read files by other means than a literal relative path, and
// those in `bin`, which run the executable.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { orderBySharedWords } from './shared-words.ts'

/** A test file that a change concerns. */
export interface RelatedTest {
  file: string
  /** The number of imports between the test and the nearest changed file; 0 if the test itself has changed. */
  distance: number
}

/** These tests read all files of `src` and `web`. */
const readers = ['src/house.test.ts', 'src/attacks/construction.test.ts']
const isTest = (file: string) => /\.test\.tsx?$/.test(file)
/** Whether a file is a part of the page, and neither a test nor a test helper. */
const isPage = (file: string) => /^web\//.test(file) && !isTest(file) && !/^web\/(testing|dist)\//.test(file)

/**
 * Returns the tests that these changes concern, those first that are most likely to notice them. Many tests import the
 * whole server, at the same distance. So a test also counts as near if it is near in the folders to a file that imports
 * the change: the tests of a route test what the route uses. Other tests of the same subject are far in the folders, but use
 * the same words. So the nearest tests and the tests with the most shared words take turns.
 *
 * @param changed paths relative to the working folder, which is the top of a checkout
 */
export function testsOf(changed: readonly string[]): RelatedTest[] {
  const files = changed.map((file) => posix.normalize(file.replaceAll('\\', '/')))
  const importers = readImporters()
  const distances = distancesFrom(files, importers)
  const found = new Map([...distances].filter(([file]) => isTest(file)))
  const stepsTo = nearness(distances)
  const add = (file: string, distance: number) =>
    found.set(file, Math.min(distance, found.get(file) ?? Number.POSITIVE_INFINITY))
  for (const file of files.filter(isPage)) {
    for (const [test, distance] of pageTests(file, importers)) add(test, distance)
  }
  const last = Math.max(0, ...found.values()) + 1
  if (files.some((file) => /^(src|web)\//.test(file))) {
    for (const file of readers.filter((file) => importers.has(file) && !found.has(file))) add(file, last)
  }
  const order = new Map([...found].map(([file, distance]) => [file, Math.min(distance, stepsTo(file))]))
  const nearest = [...found]
    .sort(
      ([a, distanceA], [b, distanceB]) =>
        (order.get(a) ?? 0) - (order.get(b) ?? 0) || distanceA - distanceB || (a < b ? -1 : 1),
    )
    .map(([file]) => file)
  const alike = orderBySharedWords(nearest, files)
  const inTurns = new Set(nearest.flatMap((file, at) => [file, alike[at] ?? file]))
  return [...inTurns].map((file) => ({ file, distance: found.get(file) ?? 0 }))
}

/** The weight of a folder between a test and a file, compared with an import. */
const folderWeight = 3

/**
 * Returns a function that says how near a test is, in the folders, to the files that these distances are given for: the
 * imports of a file, and the folders from there to the test, up and down.
 */
function nearness(distances: ReadonlyMap<string, number>): (test: string) => number {
  const nearest = new Map<string, number>()
  for (const [file, distance] of distances) {
    const folder = posix.dirname(file)
    if (!isTest(file))
      nearest.set(folder, Math.min(distance, nearest.get(folder) ?? Number.POSITIVE_INFINITY))
  }
  return (test) => {
    const steps = [...nearest].map(([folder, distance]) => {
      const way = posix.relative(folder, posix.dirname(test))
      return distance + folderWeight * (way === '' ? 0 : way.split('/').length)
    })
    return Math.min(...steps)
  }
}

/**
 * The page tests of a file of the page, with a distance. A page test belongs to the file if it is in the folder of the
 * file, in a folder above it, or in the folder of a file that imports the file, directly or not. The tests in `web/app`
 * go through the whole page and belong to all of its files.
 */
function pageTests(changed: string, importers: Importers): Map<string, number> {
  const distances = [...distancesFrom([changed], importers)].filter(([file]) => isPage(file))
  const folders = new Map<string, number>()
  const reach = (folder: string, distance: number) =>
    folders.set(folder, Math.min(distance, folders.get(folder) ?? Number.POSITIVE_INFINITY))
  for (const [file, distance] of distances) reach(posix.dirname(file), distance + 1)
  for (let up = posix.dirname(changed), steps = 1; up !== '.'; up = posix.dirname(up)) reach(up, steps++)
  reach('web/app', Math.max(...folders.values()) + 1)
  return new Map(
    testsWithBrowser(importers).flatMap((test): [string, number][] => {
      const distance = folders.get(posix.dirname(test))
      return distance === undefined ? [] : [[test, distance]]
    }),
  )
}

/** The tests in `web` that start a browser. */
function testsWithBrowser(importers: Importers): string[] {
  return [...distancesFrom(['web/testing/chromium.ts'], importers).keys()].filter(
    (file) => isTest(file) && file.startsWith('web/'),
  )
}

/** For each file, the files that import it. A file without importers has an empty set. */
type Importers = ReadonlyMap<string, ReadonlySet<string>>

/** The number of imports between these files and all files that import them, directly or not. */
function distancesFrom(files: readonly string[], importers: Importers): Map<string, number> {
  const distances = new Map(files.map((file) => [file, 0]))
  // A map iterates over entries that are added meanwhile, so this is a breadth-first search.
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1)
    }
  }
  return distances
}

/** Reads all source files and reverses their imports. */
function readImporters(): Importers {
  const files = globSync('{src,web,bin,scripts,locales}/**/*.{ts,tsx,mjs}')
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/^web\/dist\/|^bin\/(build|release)\//.test(file))
  const importers = new Map(files.map((file) => [file, new Set<string>()]))
  for (const file of files) {
    for (const imported of importsOf(file, readFileSync(file, 'utf8'))) {
      const known = importers.get(imported)
      if (known) known.add(file)
      else importers.set(imported, new Set([file]))
    }
  }
  return importers
}

/** Imports and exports of types only. They do not exist at run time. */
const typeImports =
  /^(?:import|export)\s+(?:type\b[^'"]*?|\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?\s*,?)+\s*\}\s*)\bfrom\s+'[^']+'/gm
/** `import … from '…'`, `export … from '…'`, `import '…'` and `import('…')`. */
const imports = [
  /^(?:import|export)\b[^'"`;]*?\bfrom\s+'([^']+)'/gm,
  /^import\s+'([^']+)'/gm,
  /\bimport\(\s*(?:'([^'\n]+)'|`([^`$?]+))/g,
]
/** A literal relative path, as in `new URL('../x.ts', import.meta.url)`. */
const relativePaths = /(['"`])(\.\.?\/[^'"`\s$?]+)\1/g
/** `join(import.meta.dirname, '..', 'x.ts')`. */
const joinedPaths = /\bimport\.meta\.dirname((?:,\s*'[^'\n]+')+)/g
/** A pool of threads that run `src/workers/<name>-worker.ts`. */
const workerPools = /\bcreateWorkerPool(?:<[^(]*>)?\(\s*'([\w-]+)'/g

/** The files of this checkout that a file imports, or names by a literal path. */
function importsOf(file: string, source: string): Set<string> {
  const text = source.replace(typeImports, '')
  const folder = posix.dirname(file)
  const matches = (pattern: RegExp, group: number) =>
    [...text.matchAll(pattern)].flatMap((match) => match[group] ?? [])
  const named = [
    ...imports.flatMap((pattern) => [...matches(pattern, 1), ...matches(pattern, 2)]),
    ...matches(relativePaths, 2),
  ].flatMap((specifier) => resolve(specifier, folder) ?? [])
  const joined = matches(joinedPaths, 1).map((parts) =>
    posix.join(folder, ...[...parts.matchAll(/'([^']+)'/g)].map(([, part = '']) => part)),
  )
  const workers = matches(workerPools, 1).map((name) => `src/workers/${name}-worker.ts`)
  return new Set([...named, ...joined, ...workers].filter((path) => path !== file && isFile(path)))
}

/** The path of a specifier; undefined for a package. */
function resolve(specifier: string, folder: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(folder, specifier)
  const [, alias, rest = ''] = /^#(src|contract|web)\/(.+)$/.exec(specifier) ?? []
  if (!alias) return undefined
  return posix.join(alias === 'contract' ? 'src/contract' : alias, rest)
}

const known = new Map<string, boolean>()

function isFile(path: string): boolean {
  const result = known.get(path) ?? (existsSync(path) && statSync(path).isFile())
  known.set(path, result)
  return result
}
