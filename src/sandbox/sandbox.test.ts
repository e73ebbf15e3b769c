import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import type { Config } from '#src/config/config.ts'
import { compileRules } from '#src/core/access/rules.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { listShownTree, maxParts } from '#src/files/tree-walk/shown-tree.ts'
import { createCommandRunner } from '#src/testing/command.ts'
import { hasSandbox } from '#src/testing/sandbox.ts'
import { type Person, start } from '#src/testing/start.ts'
import { cleanEnvironment } from './environment.ts'
import { run } from './run.ts'
import { findSandbox } from './sandbox.ts'
import { type SandboxTool, sandboxTools } from './sandbox-start.ts'

const commands = ['sh', 'cat', 'ls', 'pwd', 'tool']
const perm = { execute: true, create: true, modify: true, delete: true, rename: true }
const editor: Person = { perm, commands }

const tree = {
  ann: {
    'a.txt': 'hers',
    docs: { 'open.txt': 'open', 'secret.txt': 'RULE-CANARY', deep: { 'key.pem': 'RULE-CANARY' } },
    '.hidden': { conf: 'DOT-CANARY' },
  },
  bob: { 'secret.txt': 'BOB-CANARY' },
}

const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })
const allow = (path: string): Rule => ({ ...deny(path), allow: true })
const pattern = (raw: string): Rule => ({ allow: false, path: '', regex: true, regexp: { raw } })

/** Starts a server whose commands run in a sandbox of `tool`, with users in the folder `/ann` with these rules. */
async function open(
  t: Test,
  tool: SandboxTool,
  { people = {}, config = {} }: { people?: Record<string, Person>; config?: Partial<Config> } = {},
) {
  const ann: Person = { ...editor, scope: '/ann' }
  const all = Object.entries(people).map(([name, person]) => [name, { ...ann, ...person }])
  const merged = { enableExec: true, execWithoutSandbox: false, ...config }
  const made = await start(t, {
    tree,
    sandbox: tool,
    config: merged,
    people: { ann, ...Object.fromEntries(all) },
  })
  const run = await createCommandRunner(made)
  /** Runs a script of `sh` and returns its output, including errors. */
  const sh = async (name: string, script: string, path = '/') =>
    (await run(name, `sh -c "exec 2>&1; ${script.replaceAll('$', '\\$')}"`, path)).said
  return { ...made, run, sh, home: join(made.root, 'ann') }
}

for (const tool of sandboxTools) {
  const isHere = await hasSandbox(tool)
  const test = (title: string, work: (t: Test) => Promise<void>) =>
    t.test(`${tool}: ${title}`, { skip: !isHere && `no sandbox can be made with ${tool} here` }, work)

  test("a command sees the folder of its user and no other user's folder", async (t) => {
    const { sh, run, home, root } = await open(t, tool)
    const said = await sh('ann', 'pwd; cat a.txt; cat ../bob/secret.txt')
    t.equal(said, `${home}\nherscat: ../bob/secret.txt: No such file or directory`)
    t.equal(await sh('ann', `ls ${root}`), 'ann')
    const others = ['home', 'root', 'var', 'run', 'sys', 'opt', 'mnt'].filter(
      (name) => name !== home.split('/')[1],
    )
    for (const name of others) t.notMatch(await sh('ann', 'ls /'), new RegExp(`^${name}$`, 'm'))
    t.equal(await sh('ann', 'mkdir new; echo x > new/y; mv a.txt b.txt; ls'), 'b.txt\ndocs\nnew')
    t.equal(readFileSync(join(home, 'new/y'), 'utf8'), 'x\n')
    t.match(await run('ann', 'pwd', '/docs/deep'), { said: join(home, 'docs/deep'), reason: 'exit 0' })
    t.match(await run('ann', 'sh -c "exit 7"'), { reason: 'exit 7' })
  })

  test('the state and the secret files of Coffer are hidden, even below the served folder', async (t) => {
    const base = t.testdirName
    const config = {
      database: join(base, 'root/ann/state.json'),
      cacheDir: join(base, 'root/ann/docs/cache'),
    }
    const { sh, home } = await open(t, tool, { config })
    writeFileSync(join(home, 'state.json'), 'STATE-CANARY')
    t.equal(await sh('ann', 'ls; cat state.json'), 'a.txt\ndocs\ncat: state.json: No such file or directory')
    // Each write replaces the state by a new file.
    const going = sh('ann', 'touch docs/go; until test -e docs/on; do sleep 0.05; done; cat state.json')
    while (!readdirSync(join(home, 'docs')).includes('go')) await new Promise(setImmediate)
    writeFileSync(join(home, 'state.new'), 'STATE-CANARY')
    renameSync(join(home, 'state.new'), join(home, 'state.json'))
    writeFileSync(join(home, 'docs/on'), '')
    t.notMatch(await going, /CANARY/)
  })

  test('the folder is read-only unless the user may change, create and delete files', async (t) => {
    const lacking = (['create', 'modify', 'delete'] as const).map(
      (right) => [right, { perm: { ...perm, [right]: false } }] as const,
    )
    const { sh, home } = await open(t, tool, { people: Object.fromEntries(lacking) })
    for (const [name] of lacking) {
      t.match(
        await sh(name, 'cat a.txt; echo x > a.txt; touch new; rm a.txt; mkdir n'),
        /^hers(.*Read-only file system\n?){4}$/s,
      )
    }
    t.strictSame(readdirSync(home).sort(), ['.hidden', 'a.txt', 'docs'])
  })

  test('files denied by rules cannot be read or created', async (t) => {
    const people: Record<string, Person> = {
      file: { rules: [deny('/docs/secret.txt'), deny('/docs/deep/key.pem')] },
      folder: { rules: [deny('/docs')] },
      missing: { rules: [deny('/docs/later.txt')] },
      all: { rules: [deny('/'), allow('/docs/open.txt')] },
      again: { rules: [deny('/docs'), allow('/docs/deep'), deny('/docs/deep/key.pem')] },
      pattern: { rules: [pattern('secret|\\.pem$')] },
      dots: { hideDotfiles: true },
    }
    const { sh, home, document } = await open(t, tool, { people })
    symlinkSync('docs/secret.txt', join(home, 'link'))
    symlinkSync('docs', join(home, 'way'))
    const read = 'find . -type f | sort | xargs cat; cat link way/secret.txt way/deep/key.pem .hidden/conf'
    const seen: Record<string, RegExp> = {
      file: /^DOT-CANARYhersopen/,
      folder: /^DOT-CANARYhers/,
      missing: /^DOT-CANARYhers(RULE-CANARY)?/,
      pattern: /^DOT-CANARYhersopen/,
      dots: /^hersRULE-CANARYopenRULE-CANARY/,
    }
    for (const [name, says] of Object.entries(seen)) {
      const said = await sh(name, read)
      t.match(said, says, name)
      if (!['missing', 'dots'].includes(name)) t.notMatch(said, /RULE-CANARY/, name)
      if (name === 'dots') t.notMatch(said, /DOT-CANARY/)
    }
    for (const script of [
      'echo x > docs/later.txt',
      'mv docs docs2',
      'rm -r docs',
      'ln a.txt docs/later.txt',
    ])
      t.match(await sh('missing', script), /Read-only|busy|cross-device/i, script)
    t.equal(await sh('missing', 'echo x > docs/deep/new; ls docs/deep'), 'new', 'deeper folders are writable')
    t.match(await sh('pattern', 'touch new.pem'), /Read-only/)
    for (const script of ['mv docs d', 'mv docs/deep docs/d', 'rm -rf docs', 'touch docs/x'])
      t.match(await sh('file', script), /Read-only|busy/i, script)
    t.equal(readFileSync(join(home, 'docs/secret.txt'), 'utf8'), 'RULE-CANARY')
    await document.update((draft) => {
      draft.settings.rules = [deny('/docs/open.txt')]
    })
    t.equal(await sh('ann', 'ls docs'), 'deep\nsecret.txt', 'global rules apply as well')
  })

  test('allowed entries below a denied folder are shown', async (t) => {
    const { sh, run } = await open(t, tool, {
      people: {
        all: { rules: [deny('/'), allow('/docs/open.txt'), allow('/docs/deep')] },
        again: { rules: [deny('/docs'), allow('/docs/deep'), deny('/docs/deep/key.pem')] },
      },
    })
    t.match(await run('all', 'pwd', '/'), { said: /a rule denies/, reason: 'refused' })
    t.equal(await sh('all', 'cd ..; find . -type f | sort', '/docs/deep'), './deep/key.pem\n./open.txt')
    t.equal(await sh('again', 'find docs', '/'), 'docs\ndocs/deep')
  })

  test('a denied name stays hidden when it is created while the command runs', async (t) => {
    const people = { eve: { rules: [deny('/docs/later.txt'), deny('/soon')] } }
    const { sh, home } = await open(t, tool, { people })
    const going = sh(
      'eve',
      'touch docs/deep/go; until test -e docs/deep/on; do sleep 0.05; done; cat docs/later.txt soon/x; ls . docs',
    )
    while (!readdirSync(join(home, 'docs/deep')).includes('go')) await new Promise(setImmediate)
    writeFileSync(join(home, 'docs/later.txt'), 'LATER-CANARY')
    mkdirSync(join(home, 'soon'))
    writeFileSync(join(home, 'soon/x'), 'LATER-CANARY')
    writeFileSync(join(home, 'docs/deep/on'), '')
    const said = await going
    t.match(said, /docs\/later.txt: No such file/)
    t.notMatch(said, /CANARY/)
  })

  test('refuses commands in a folder with too many entries to mount one by one, and says why', async (t) => {
    const people = { eve: { rules: [deny('/many/x')] }, dots: { hideDotfiles: true } }
    const { run, home } = await open(t, tool, { people })
    mkdirSync(join(home, 'many'))
    for (let i = 0; i <= maxParts; i++) writeFileSync(join(home, 'many', `f${i}`), '')
    const sentence = /^Commands cannot run here: rules or your settings hide entries of this folder/
    t.match(await run('eve', 'ls'), { said: sentence, reason: 'refused' })
    t.match(await run('ann', 'ls'), { said: 'a.txt\ndocs\nmany' }, 'other users are not affected')
    t.match(
      await run('dots', 'ls'),
      { said: 'a.txt\ndocs\nmany' },
      'a folder without dotfiles is mounted as a whole',
    )
    writeFileSync(join(home, 'many/.dot'), '')
    t.match(await run('dots', 'ls'), { said: sentence })
  })

  test('a scope that is a symbolic link, or has a special name, is mounted at its real path', async (t) => {
    const strange = `a b'"\\#$(id)\u00a0é`
    const people = {
      link: { scope: '/linked', rules: [] },
      strange: { scope: `/${strange}`, rules: [deny(`/${strange}`), deny('/docs/x')] },
    }
    const { sh, root } = await open(t, tool, { people })
    symlinkSync('ann', join(root, 'linked'))
    for (const path of [strange, `${strange}/${strange}`, `${strange}/docs`, `${strange}/docs/${strange}`])
      mkdirSync(join(root, path))
    symlinkSync(strange, join(root, strange, 'docs', 'to it'))
    t.equal(await sh('link', 'cat a.txt; pwd'), `hers${join(root, 'ann')}`)
    t.equal(await sh('strange', 'ls; ls -N docs'), `docs\n${strange}\nto it`)
  })

  test('a folder replaced by a symbolic link while a command starts does not expose the target', async (t) => {
    const base = realpathSync(t.testdir({ root: tree }))
    const served = join(base, 'root')
    const env = cleanEnvironment()
    const options = { served, secret: [], memory: 2 ** 30, hasNetwork: false, env, run, tools: [tool] }
    const sandbox = await findSandbox(options)
    if ('missing' in sandbox) throw new Error(sandbox.missing.join())
    const rules = [deny('/docs/secret.txt')]
    const jail = await openJail(served, '/ann' as UserPath, { allows: compileRules(rules), secret: [] })
    const shown = await listShownTree({ jail, rules, hideDotfiles: false, closed: sandbox.closed })
    if ('refused' in shown) throw new Error(shown.refused)
    const sh = async () => {
      const args = ['-c', 'cat docs/deep/*']
      const task = { program: '/bin/sh', name: 'sh', args, folder: jail.root, env }
      const entered = await sandbox.wrapTask(task, { shown, isWritable: true, folder: jail.root })
      if ('refused' in entered) throw new Error(entered.refused)
      const said: string[] = []
      const bounds = { time: 60_000, output: 1e6, signal: new AbortController().signal }
      const { code } = await run(entered, bounds, (line) => said.push(line) > 0)
      return { said: said.join(), code }
    }
    t.strictSame(await sh(), { said: 'RULE-CANARY', code: 0 }, 'no rule denies it here')
    renameSync(join(served, 'ann/docs/deep'), join(served, 'ann/was'))
    symlinkSync('../../bob', join(served, 'ann/docs/deep'))
    const said = 'The folder changed while the command was starting. Try again.'
    t.strictSame(await sh(), { said, code: 126 })
  })

  test('finds no program outside the program folders of the system', async (t) => {
    const { run, home } = await open(t, tool)
    writeFileSync(join(home, 'tool'), '#!/bin/sh\necho evil\n', { mode: 0o755 })
    const path = process.env.PATH
    process.env.PATH = `${home}:${path}`
    t.teardown(() => {
      process.env.PATH = path
    })
    t.match(await run('ann', 'tool'), { said: 'tool: command not found', reason: 'refused' })
    linkSync(join(home, 'tool'), join(home, 'docs/tool'))
    t.equal(statSync(join(home, 'tool')).nlink, 2)
  })
}

t.test('commands run without a sandbox only if the configuration allows it', async (t) => {
  const people = { ann: { ...editor, scope: '/ann' } }
  const made = await start(t, { tree, people, config: { enableExec: true, execWithoutSandbox: true } })
  const run = await createCommandRunner(made)
  t.match(
    await run('ann', 'cat ../bob/secret.txt'),
    { said: 'BOB-CANARY' },
    'without a sandbox, a command reads the files of other users',
  )
})
