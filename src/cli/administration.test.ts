import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { loadConfig } from '#src/config/load.ts'
import { createLog } from '#src/core/log/log.ts'
import { start } from '#src/start/main.ts'
import { runCommand, startInstance } from '#src/testing/instance.ts'
import { run } from './cli.ts'

const password = 'correct horse battery'

/** A folder with a state, and functions that start the server and run commands on it, all in this process. */
async function instance(t: Test) {
  const folder = t.testdir({ files: { docs: {} } })
  const root = join(folder, 'files')
  const serve = () => startInstance(root, password)
  const coffer = (words: string, input = '') =>
    runCommand(root, words.split(' '), Readable.from([`${input}\n`]))
  const json = async (words: string, input?: string) => JSON.parse(await coffer(`${words} --json`, input))
  const login = async (url: string, username: string, secret: string) => {
    const body = JSON.stringify({ username, password: secret })
    const response = await fetch(`${url}api/login`, { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  }
  const first = await serve()
  return { folder, root, serve, coffer, json, login, first }
}

for (const isRunning of [true, false]) {
  t.test(
    `commands manage users ${isRunning ? 'while the server runs' : 'while no server runs'}`,
    async (t) => {
      const { coffer, json, login, serve, first } = await instance(t)
      if (!isRunning) await first.close()
      await coffer(
        'users add bob --perm.delete=false --commands ls,git --scope /docs',
        'a long enough phrase',
      )
      const [admin, bob] = await json('users ls')
      t.match(admin, { id: 1, username: 'admin', password: '' })
      t.match(bob, {
        id: 2,
        scope: '/docs',
        commands: ['ls', 'git'],
        perm: { delete: false, create: true, admin: false },
      })
      t.match(await json('users find BOB'), [{ id: 2 }])
      await coffer('users update 2 --perm.share=false --locale fr -u robert')
      t.match(await json('users find robert'), [
        { locale: 'fr', perm: { share: false, create: true, delete: false } },
      ])
      await t.rejects(coffer('users update 2'), { message: /nothing to change/ })
      await t.rejects(coffer('users update 2 --viewMode pile'), { message: /viewMode/ })
      await t.rejects(coffer('users add bobby', 'short'), { message: /password is too short/ })
      await t.rejects(coffer('users find bob'), { message: /There is no user bob/ })
      await t.rejects(coffer('users rm admin'), { message: /last administrator/ })
      const generated = await coffer('users passwd robert --generate')
      const server = isRunning ? first : await serve()
      t.equal((await login(server.url, 'robert', generated)).status, 200)
      await server.close()
      await coffer('users rm robert')
      t.equal((await json('users ls')).length, 1)
    },
  )
}

t.test('a new password by command ends the sessions of the user', async (t) => {
  const { coffer, login, first } = await instance(t)
  t.teardown(() => first.close())
  const { text: token } = await login(first.url, 'admin', password)
  const list = () => fetch(`${first.url}api/resources/`, { headers: { 'X-Auth': token } })
  t.equal((await list()).status, 200)
  await coffer('users passwd admin', 'another long enough phrase')
  t.equal((await list()).status, 401)
  t.equal((await login(first.url, 'admin', 'another long enough phrase')).status, 200)
})

t.test('users are exported and imported with their passwords, in JSON and YAML', async (t) => {
  const { folder, coffer, json, login, first } = await instance(t)
  t.teardown(() => first.close())
  await coffer('users add bob', 'a long enough phrase')
  for (const name of ['users.json', 'users.yaml']) {
    const file = join(folder, name)
    await coffer(`users export ${file}`)
    t.equal(statSync(file).mode & 0o777, 0o600)
    await coffer('users rm bob')
    t.match(await json(`users import ${file}`), { added: ['bob'], skipped: ['admin'], updated: [] })
    t.equal((await login(first.url, 'bob', 'a long enough phrase')).status, 200, name)
  }
  t.equal((await json('users find bob'))[0].id, 4, 'ids are never used again')
})

t.test(
  'an import of users writes all of them or none, and never removes the last administrator',
  async (t) => {
    const { folder, coffer, json, first } = await instance(t)
    t.teardown(() => first.close())
    await coffer('users add bob', 'a long enough phrase')
    const file = join(folder, 'users.json')
    await coffer(`users export ${file}`)
    const users = JSON.parse(readFileSync(file, 'utf8'))
    const write = async (name: string, value: unknown) => {
      const path = join(folder, name)
      await (await import('node:fs/promises')).writeFile(path, JSON.stringify(value))
      return path
    }
    const [admin, bob] = users
    const cases: [value: unknown, message: RegExp][] = [
      [{}, /must contain a list/],
      [[bob, { ...bob, username: 'Cy', password: 'plain' }], /User 2 \(Cy\).*must be a hash/],
      [[bob, { ...bob, username: 'BOB' }], /two users named/],
      [[{ ...bob, username: 'dan', scope: 7 }], /User 1 \(dan\).*scope/],
      [[{ ...bob, username: '../x\0' }], /cannot be used/],
      [[null], /User 1 of the file/],
      [[{ ...bob, nick: 'B' }], /nick: is unknown/],
      [[{ ...bob, perm: { ...bob.perm, fly: true } }], /perm.fly: is unknown/],
    ]
    for (const [value, message] of cases)
      await t.rejects(
        coffer(`users import ${await write('bad.json', value)} --overwrite`),
        { message },
        String(message),
      )
    await t.rejects(coffer(`users import ${await write('bad.json', [bob])} --replace`), {
      message: /last administrator/,
    })
    t.equal((await json('users ls')).length, 2, 'nothing has changed')
    const report = await json(
      `users import ${await write('good.json', [{ ...admin, locale: 'fr' }])} --replace`,
    )
    t.strictSame([report.updated, report.removed], [['admin'], ['bob']])
    t.match(await json('users ls'), [{ id: 1, locale: 'fr' }])
  },
)

t.test('commands change settings, rules and commands of events', async (t) => {
  const { folder, coffer, json, first } = await instance(t)
  t.teardown(() => first.close())
  await coffer(
    'config set --signup --branding.name Family --fileMode 0600 --perm.delete=false --viewMode mosaic',
  )
  const settings = await json('config cat')
  t.match(settings, { signup: true, branding: { name: 'Family' }, fileMode: 0o600 })
  t.match(settings.defaults, { viewMode: 'mosaic', perm: { delete: false, create: true } })
  t.match(await coffer('config cat'), /^signup: true$/m)
  await t.rejects(coffer('config set --fileMode 999'), { message: /octal/ })
  await t.rejects(coffer('config set --port 80'), { message: /--port is an option of coffer serve/ })
  await coffer('rules add /private')
  t.match(await json('rules add -r \\.key$ -u admin'), [
    { regex: true, allow: false, regexp: { raw: '\\.key$' } },
  ])
  await t.rejects(coffer('rules add -r ('), { message: /regexp/ })
  await coffer('rules add /private/ok --allow')
  t.strictSame(
    (await json('rules ls')).map(({ allow, path }: { allow: boolean; path: string }) => [allow, path]),
    [
      [false, '/private'],
      [true, '/private/ok'],
    ],
  )
  await t.rejects(coffer('rules rm 2'), { message: /the indexes are 0 to 1/ })
  t.strictSame(await json('rules rm 0 1'), [])
  t.strictSame(await json('cmds add after_upload echo done'), { after_upload: ['echo done'] })
  await t.rejects(coffer('cmds add after_lunch echo'), { message: /There is no event after_lunch/ })
  t.match(await json('cmds ls -e upload'), { before_upload: [], after_upload: ['echo done'] })
  const file = join(folder, 'config.yaml')
  await coffer(`config export ${file}`)
  await coffer('config set --signup=false')
  await coffer('cmds rm after_upload 0')
  await coffer(`config import ${file}`)
  t.match(await json('config cat'), { signup: true, commands: { after_upload: ['echo done'] } })
})

t.test('a command without a state, with another user, or with wrong arguments says what to do', async (t) => {
  const { folder, coffer, first } = await instance(t)
  await first.close()
  mkdirSync(join(folder, 'other'))
  const elsewhere = join(folder, 'other.json')
  await t.rejects(coffer(`users ls --database ${elsewhere}`), { message: /There is no state file/ })
  await t.rejects(coffer('users'), { message: /needs one of these words: add, ls, find/ })
  await t.rejects(coffer('users add'), { message: /Arguments are missing/ })
  await t.rejects(coffer('users ls --colour'), { message: /Unknown flag --colour/ })
  await t.rejects(coffer('users export list.txt'), { message: /must end in .json, .yaml or .yml/ })
  await t.rejects(coffer(`users export ${folder}/files/list.json`), { message: /Users could download/ })
  await t.rejects(coffer(`users export ${folder}/no/list.json`), { message: /cannot be written \(ENOENT\)/ })
  t.match(await coffer('users add --help'), /coffer users add NAME \[PASSWORD\]/)
})

t.test('a name of digits is a name where a name is asked for', async (t) => {
  const { coffer, json, first } = await instance(t)
  t.teardown(() => first.close())
  await coffer('users add 1', 'a long enough phrase')
  t.equal((await json('rules add /secret --username 1')).length, 1)
  t.equal((await json('rules ls --id 1')).length, 0)
  t.equal((await json('rules ls --id 2')).length, 1)
})

t.test('before the set-up, commands manage users that exist', async (t) => {
  const folder = t.testdir({ files: {} })
  const root = join(folder, 'files')
  const log = createLog({ target: '', format: 'text' })
  const config = await loadConfig(['--root', root, '--port', '0'], {})
  const server = await start({ ...config, stopTimeoutMs: 0 }, { log, print: () => {} })
  t.teardown(() => server.close())
  const coffer = async (words: string, input = '') => {
    const stdin = Readable.from([`${input}\n`]) as NodeJS.ReadStream
    const ignore = () => {}
    const terminal = { command: [], env: {}, stdin, print: ignore, warn: ignore }
    await run([...words.split(' '), '--root', root], terminal as never)
  }
  await coffer('users add bob', 'a long enough phrase')
  await t.rejects(coffer('users update bob --perm.share=false'), { message: /last administrator/ })
  await coffer('users update bob --perm.admin')
  await coffer('users update bob --locale fr')
})

t.test('many commands at once lose no change', async (t) => {
  const { coffer, json, first } = await instance(t)
  t.teardown(() => first.close())
  await Promise.all(Array.from({ length: 12 }, (_, at) => coffer(`rules add /r${at} -u admin`)))
  t.equal((await json('rules ls -u admin')).length, 12)
})
