import t from 'tap'
import { splitWords, withAdmin } from '#web/shared/forms/user-draft.ts'
import { draftOf, settingsOf } from './settings-state.ts'

const perm = {
  ...{ admin: false, execute: false, create: true, rename: true },
  ...{ modify: true, delete: true, share: true, download: true },
}

const settings = {
  signup: false,
  rules: [],
  shell: ['bash', '-c'],
  commands: { before_save: ['echo a', 'echo b'], after_save: [] },
  defaults: { scope: '.', locale: '', perm, commands: ['git'] },
} as unknown as Parameters<typeof draftOf>[0]

t.test('saves unedited settings unchanged', async (t) => {
  t.same(settingsOf(draftOf(settings)), settings)
})

t.test('splits the arguments of the generator at spaces', async (t) => {
  const staticGen = { Root: '/', Public: '/public', Exe: 'hugo', Args: ['--minify'], CleanPublic: true }
  const draft = draftOf({ ...settings, staticGen })
  t.equal(draft.siteArgs, '--minify')
  draft.siteArgs = ' --minify   --buildFuture '
  t.same(settingsOf(draft).staticGen?.Args, ['--minify', '--buildFuture'])
})

t.test('drops empty words of the shell and empty lines of commands', async (t) => {
  const draft = draftOf(settings)
  draft.shell = '  bash   -c '
  draft.commands.after_save = '\n  one two \n\n three'
  const saved = settingsOf(draft)
  t.same(saved.shell, ['bash', '-c'])
  t.same(saved.commands.after_save, ['one two', 'three'])
  t.same(splitWords('   '), [])
})

t.test('an administrator has all permissions and may change the own password', async (t) => {
  const draft = { ...draftOf(settings).defaults, lockPassword: true, perm }
  const changes = withAdmin(true, draft)
  t.ok(Object.values(changes.perm ?? {}).every(Boolean))
  t.equal(changes.lockPassword, false)
  const again = withAdmin(true, { ...draft, ...changes })
  const before = withAdmin(false, { ...draft, ...changes, ...again })
  t.strictSame(
    before,
    { perm, lockPassword: true, beforeAdmin: undefined },
    'what was ticked before is restored',
  )
  t.same(withAdmin(false, { ...draft, perm: { ...perm, admin: true } }).perm, perm)
})
