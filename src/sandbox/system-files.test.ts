import t from 'tap'
import { findSystemFiles } from './system-files.ts'

const onLinux = process.platform === 'linux'
const served = '/srv/files'

t.test('finds the programs of the system, and no private files', { skip: !onLinux }, async (t) => {
  const { folders, links, lookedUp, exposed } = await findSystemFiles({
    served,
    secret: ['/var/lib/coffer'],
  })
  t.ok(folders.includes('/usr'))
  const all = [...folders, ...links.map(({ path }) => path), ...lookedUp.map(({ path }) => path)]
  t.ok(lookedUp.some(({ path }) => path === '/etc/passwd'))
  for (const path of all)
    t.notMatch(path, /^\/(home|root|var|srv|opt|tmp|proc|sys|dev|boot|mnt)|shadow|private|^\/etc$/)
  t.equal(exposed, undefined)
})

t.test('leaves out files in /etc that are secret or served', { skip: !onLinux }, async (t) => {
  for (const given of [
    { served, secret: ['/etc/ssl/certs/mine.pem'] },
    { served, secret: ['/etc/ssl'] },
    { served: '/etc/ssl/certs', secret: [] },
    { served: '/etc', secret: [] },
  ]) {
    const { lookedUp } = await findSystemFiles(given)
    t.notOk(
      lookedUp.some(({ path }) => path === '/etc/ssl/certs'),
      JSON.stringify(given),
    )
  }
})

t.test('reports a secret file in a program folder', { skip: !onLinux }, async (t) => {
  for (const secret of ['/usr/local/etc/coffer.yaml', '/usr/share/state.json']) {
    t.equal((await findSystemFiles({ served, secret: ['/var/x', secret] })).exposed, secret)
  }
})
