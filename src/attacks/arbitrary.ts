import fc from 'fast-check'
import type { Rule } from '#contract/users.ts'
import {
  type Entry,
  type Folder,
  file,
  folder,
  type ModelRule,
  namesOf,
  put,
  resolveLinks,
} from './reference.ts'

/** The content of files that no user in the scope may ever read. */
export const foreignContent = 'FOREIGN-CANARY'

/** Few names, so that they collide: prefixes of each other, hidden, upper case, encodings, names of JavaScript. */
export const aName = fc.constantFrom('a', 'b', 'ab', 'A', '.h', '100%', 'ä', '__proto__')

const toPath = 'path:'

/** A symbolic link to a place outside, to a name that may exist, or, by its number, to a path of the tree. */
const aLink = fc
  .oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom('/outside', '/outside/secret.txt', '/root/ab', '..', '../..', '.'),
    },
    { weight: 1, arbitrary: fc.array(aName, { minLength: 1, maxLength: 2 }).map((names) => names.join('/')) },
    { weight: 5, arbitrary: fc.nat(1000).map((at) => `${toPath}${at}`) },
  )
  .map((to): Entry => ({ kind: 'link', to }))

/** A folder with files, symbolic links and folders, a few levels deep. Every file has its own text. */
export const aTree: fc.Arbitrary<Folder> = fc
  .letrec<{ folder: Folder; entry: Entry }>((tie) => ({
    folder: fc.array(fc.tuple(aName, tie('entry')), { maxLength: 4 }).map(folder),
    entry: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: fc.constant(0).map(() => file('')) },
      { weight: 2, arbitrary: aLink },
      { weight: 4, arbitrary: tie('folder') },
    ),
  }))
  .folder.map((tree) => withTexts(tree))

function withTexts(tree: Folder, path = ''): Folder {
  for (const [name, entry] of tree.entries) {
    if (entry.kind === 'folder') withTexts(entry, `${path}/${name}`)
    if (entry.kind === 'file') tree.entries.set(name, file(`text of ${path}/${name}`))
  }
  return tree
}

/** A disk whose `/root` is served, the scope of a user in it, and files outside the scope and outside `/root`. */
export const aDisk = fc
  .tuple(fc.constantFrom('', '/a', '/a/b'), aTree)
  .map(([scope, tree]): { scope: string; disk: Folder } => {
    const disk = folder([
      ['root', folder()],
      ['outside', folder([['secret.txt', file(foreignContent)]])],
    ])
    put(disk, `/root${scope}`, tree)
    const paths = ['', ...plainPaths(tree)]
    eachLink(tree, (link) => {
      const [, at] = link.to.split(toPath)
      if (at) link.to = `/root${scope}${paths[Number(at) % paths.length]}`
    })
    // Folders whose names start with the name of the scope.
    if (scope !== '') put(disk, '/root/ab/x.txt', file(foreignContent))
    if (scope === '/a/b') put(disk, '/root/a/bb/x.txt', file(foreignContent))
    return { scope, disk }
  })

function plainPaths({ entries }: Folder, above = ''): string[] {
  return [...entries].flatMap(([name, entry]) => {
    const path = `${above}/${name}`
    return entry.kind === 'folder' ? [path, ...plainPaths(entry, path)] : [path]
  })
}

function eachLink({ entries }: Folder, visit: (link: { to: string }) => void): void {
  for (const entry of entries.values()) {
    if (entry.kind === 'link') visit(entry)
    if (entry.kind === 'folder') eachLink(entry, visit)
  }
}

const patterns = [
  '^/a$',
  '^/a/',
  'b',
  '\\.h',
  '(^|/)ab(/|$)',
  '^/a/b/?$',
  'x\\.txt$',
  '.',
  '^/[^/]+$',
  '(?i)/A/',
]

/** A path of the tree, or one that may not exist. `at` selects an existing one. */
export const aTarget = fc.oneof(
  { weight: 4, arbitrary: fc.record({ at: fc.nat(1000), more: fc.constant<string[]>([]) }) },
  {
    weight: 2,
    arbitrary: fc.record({ at: fc.nat(1000), more: fc.array(aName, { minLength: 1, maxLength: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ at: fc.constant(undefined), more: fc.array(aName, { maxLength: 4 }) }),
  },
)

/** A rule, either about a path of the disk or by a pattern. */
export const aRule = fc.record({
  allow: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  target: aTarget,
  end: fc.constantFrom('', '/', '/.', '//'),
  pattern: fc.option(fc.constantFrom(...patterns), { freq: 4 }),
})
export type AnyRule = typeof aRule extends fc.Arbitrary<infer R> ? R : never

/** A rule as it is stored and as the model reads it, on a disk with these paths. */
export function ruleOf(
  { allow, target, end, pattern }: AnyRule,
  paths: readonly string[],
): { stored: Rule; modelRule: ModelRule } {
  if (pattern === null) {
    const path = pathOf(paths, target)
    return {
      stored: { allow, regex: false, path: path + end, regexp: null },
      modelRule: { allow, about: path },
    }
  }
  const isCaseless = pattern.startsWith('(?i)')
  return {
    stored: { allow, regex: true, path: '', regexp: { raw: pattern } },
    modelRule: { allow, about: new RegExp(pattern.replace('(?i)', ''), isCaseless ? 'i' : '') },
  }
}

/** Choices that `respell` and `encodedSpelling` turn into a spelling. */
export const aSpelling = fc.array(fc.nat(11), { minLength: 1, maxLength: 8 })

/** Returns another spelling of a path: more slashes, dots, detours, and `..` above the top. */
export function respell(path: string, spelling: readonly number[]): string {
  const separators = ['/', '//', '/./', '/b/../', '///', '/./a/b/../../']
  const climb = (spelling[0] ?? 0) % 4 === 3 ? '/../..' : ''
  const between = namesOf(path).map((name, index) => `${separators[choice(spelling, index) % 6]}${name}`)
  const end = ['', '', '/', '/.', '/b/..', '//'][choice(spelling, 7) % 6]
  return `${climb}${between.join('')}${end}` || '/'
}

/** Returns a path as it is sent: with detours and needless percent-encoding. The first slash stays plain. */
export function encodedSpelling(path: string, spelling: readonly number[]): string {
  const written = respell(path, spelling)
  let sent = '/'
  let index = 0
  for (const character of written.slice(1)) {
    const isEncoded = choice(spelling, index++) % 3 === 0
    sent += isEncoded ? percent(character, index % 2 === 0) : encodePlain(character)
  }
  return sent
}

const choice = (spelling: readonly number[], index: number) => spelling[index % spelling.length] ?? 0
const encodePlain = (character: string) => (character === '/' ? '/' : encodeURIComponent(character))

function percent(character: string, isLower: boolean): string {
  const hex = [...Buffer.from(character)].map(
    (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
  )
  return isLower ? hex.join('').toLowerCase() : hex.join('')
}

/** The path that `target` selects in the tree below `top`. Paths through symbolic links are included. */
export function pathOf(
  paths: readonly string[],
  { at, more }: { at: number | undefined; more: readonly string[] },
): string {
  const start = at === undefined ? '/' : (paths[at % paths.length] ?? '/')
  return more.reduce((path, name) => (path === '/' ? `/${name}` : `${path}/${name}`), start)
}

/** Every path below a folder of the model, as its owner would write it. Follows one symbolic link per path. */
export function pathsIn(disk: Folder, top: string, above = '', isBehind = false): string[] {
  const here = resolveLinks(disk, top + above)?.entry
  if (here?.kind !== 'folder') return []
  return [...here.entries].flatMap(([name, entry]) => {
    const path = `${above}/${name}`
    if (isBehind && entry.kind === 'link') return [path]
    return [path, ...pathsIn(disk, top, path, isBehind || entry.kind === 'link')]
  })
}
