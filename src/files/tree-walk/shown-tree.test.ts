import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { compileRules, type ScopedRule, withoutDotfiles } from '#src/core/access/rules.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { mountFolding } from '#src/testing/folding-disk.ts'
import { listShownTree, maxParts, refusals } from './shown-tree.ts'

const onLinux = process.platform === 'linux'
const deny = (path: string): ScopedRule => ({ allow: false, path, regex: false, regexp: null })
const allow = (path: string): ScopedRule => ({ ...deny(path), allow: true })
const pattern = (raw: string): ScopedRule => ({ allow: false, path: '', regex: true, regexp: { raw } })

/**
 * Lists what a command may see of a folder, by paths in it: whole files and folders, partly shown folders, and links.
 */
async function shown(
  t: Test,
  tree: NonNullable<Parameters<Test['testdir']>[0]>,
  {
    rules = [],
    hideDotfiles = false,
    secret = [],
    closed = [],
    plant = () => {},
  }: {
    rules?: ScopedRule[]
    hideDotfiles?: boolean
    secret?: string[]
    /** By paths in the folder; `..` is the one above. */
    closed?: string[]
    plant?: (root: string) => void
  },
) {
  const root = join(realpathSync(t.testdir({ root: tree })), 'root')
  plant(root)
  const allows = withoutDotfiles(compileRules(rules), hideDotfiles)
  const real = secret.map((path) => join(root, path))
  const jail = await openJail(root, '/' as UserPath, { allows, secret: real })
  const all = await listShownTree({
    jail,
    rules,
    hideDotfiles,
    closed: closed.map((path) => join(root, path)),
  })
  if ('refused' in all) return all.refused
  const inside = (path: string) => path.slice(root.length) || '/'
  return {
    whole: all.parts.map(({ path }) => inside(path)).sort(),
    partly: all.folders.map(inside).sort(),
    links: all.links.map(({ path }) => inside(path)).sort(),
  }
}

const tree = { a: 'x', docs: { b: '', deep: { c: '' } }, other: {} }

t.test('a command sees a folder as one part when nothing in it is hidden', { skip: !onLinux }, async (t) => {
  const all = { whole: ['/'], partly: [], links: [] }
  t.strictSame(await shown(t, tree, {}), all)
  t.strictSame(await shown(t, tree, { rules: [allow('/docs/b')] }), all)
  t.strictSame(await shown(t, tree, { hideDotfiles: true }), all)
  t.strictSame(await shown(t, tree, { secret: ['../elsewhere'] }), all)
})

t.test(
  'a command sees only the parts of a folder that the rules allowed when it started',
  { skip: !onLinux },
  async (t) => {
    const table: [rules: ScopedRule[], whole: string[], partly: string[]][] = [
      [[deny('/docs/b')], ['/a', '/docs/deep', '/other'], ['/', '/docs']],
      [[deny('/docs')], ['/a', '/other'], ['/']],
      [[deny('/docs/')], ['/a', '/other'], ['/']],
      [[deny('//docs/./b')], ['/a', '/docs/deep', '/other'], ['/', '/docs']],
      [[deny('/docs/later')], ['/a', '/docs/b', '/docs/deep', '/other'], ['/', '/docs']],
      [[deny('/none/later')], ['/a', '/docs', '/other'], ['/']],
      [[deny('/'), allow('/docs/deep')], ['/docs/deep'], ['/', '/docs']],
      [
        [deny('/docs'), allow('/docs/deep'), deny('/docs/deep/c')],
        ['/a', '/other'],
        ['/', '/docs', '/docs/deep'],
      ],
      [[deny('/Docs/B')], ['/a', '/docs/b', '/docs/deep', '/other'], ['/', '/docs']],
      [[pattern('c$')], ['/a', '/docs/b'], ['/', '/docs', '/docs/deep', '/other']],
      [[deny('/')], [], []],
    ]
    for (const [rules, whole, partly] of table) {
      t.strictSame(await shown(t, tree, { rules }), { whole, partly, links: [] }, JSON.stringify(rules))
    }
  },
)

t.test(
  'a command does not see secret files, unfinished uploads or hidden dotfiles, and sees links as links',
  { skip: !onLinux },
  async (t) => {
    const given = { ...tree, '.coffer-part-x': 'part', docs: { b: '', '.dot': { x: '' }, deep: { c: '' } } }
    const plant = (root: string) => symlinkSync('../..', join(root, 'out'))
    t.strictSame(await shown(t, given, { secret: ['a', 'docs/new.json'], plant }), {
      whole: ['/docs/.dot', '/docs/b', '/docs/deep', '/other'],
      partly: ['/', '/docs'],
      links: ['/out'],
    })
    t.strictSame(await shown(t, given, { hideDotfiles: true, plant }), {
      whole: ['/a', '/docs/b', '/docs/deep', '/other'],
      partly: ['/', '/docs'],
      links: ['/out'],
    })
  },
)

t.test('rejects a folder with more parts, levels or bytes than the limits', { skip: !onLinux }, async (t) => {
  const files = (count: number) => (root: string) => {
    for (let i = 0; i < count; i++) writeFileSync(join(root, `f${i}`), '')
  }
  const rules = [deny('/none')]
  const most = await shown(t, {}, { rules, plant: files(maxParts - 1) })
  t.equal(typeof most === 'object' && most.whole.length, maxParts - 1, 'the folder itself is one more part')
  t.equal(await shown(t, {}, { rules, plant: files(maxParts) }), refusals.parts)
  t.match(await shown(t, {}, { plant: files(maxParts) }), { whole: ['/'] })
  const deep = (levels: number) => (root: string) =>
    mkdirSync(join(root, 'd/'.repeat(levels)), { recursive: true })
  t.match(await shown(t, {}, { hideDotfiles: true, plant: deep(128) }), { whole: ['/'] })
  t.equal(await shown(t, {}, { hideDotfiles: true, plant: deep(129) }), refusals.read)
  const long = (root: string) => {
    for (let i = 0; i < 250; i++) symlinkSync('x'.repeat(300), join(root, `l${i}`))
  }
  t.equal(await shown(t, {}, { rules, plant: long }), refusals.parts, 'the limit on bytes applies too')
})

t.test(
  'on a disk that ignores case, a rule hides every spelling from a command',
  { skip: !onLinux },
  async (t) => {
    const disk = mountFolding(t, 'exfat')
    if (disk === undefined) return
    for (const name of ['Secret.txt', 'Free.txt', 'Keys.txt']) writeFileSync(join(disk, name), '')
    mkdirSync(join(disk, 'Docs'))
    for (const name of ['Inner.txt', 'Public.txt']) writeFileSync(join(disk, 'Docs', name), '')
    const rules = [deny('/SECRET.TXT'), deny('/docs/inner.txt'), pattern('^/keys')]
    const jail = await openJail(disk, '/' as UserPath, {
      allows: compileRules(rules),
      secret: [join(disk, 'FREE.TXT')],
    })
    const all = await listShownTree({ jail, rules, hideDotfiles: false, closed: [] })
    if ('refused' in all) throw new Error(all.refused)
    t.strictSame(
      all.parts.map(({ path }) => path.slice(disk.length)),
      ['/Docs/Public.txt'],
    )
  },
)

t.test(
  'a command does not see closed folders, and its own folder may be inside a closed one',
  { skip: !onLinux },
  async (t) => {
    t.strictSame(await shown(t, tree, { closed: ['docs/deep'] }), {
      whole: ['/a', '/docs/b', '/other'],
      partly: ['/', '/docs'],
      links: [],
    })
    t.strictSame(await shown(t, tree, { closed: ['..', '.'], rules: [deny('/docs')] }), {
      whole: ['/a', '/other'],
      partly: ['/'],
      links: [],
    })
  },
)
