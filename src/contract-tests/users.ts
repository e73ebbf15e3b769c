import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { withToken } from './client.ts'
import type { Person } from './place.ts'
import { answers, isDone, refuses, rulesOf, tells } from './rule.ts'

interface User {
  id: number
  username: string
}
const freshName = () => `contract-${randomBytes(6).toString('hex')}`
const password = () => randomBytes(12).toString('base64url')
const change = (by: Person, id: number, which: string[], data: object, more: object = {}) =>
  by.call('PUT', `/api/users/${id}`, { body: { what: 'user', which, data: { id, ...data }, ...more } })

const ofUserStatus = rulesOf('Status codes, Users and settings')
const ofUsersAndSettings = rulesOf('Users and settings')
const ofUsers = rulesOf('Users and settings, Users')

/** User accounts. */
export const users = [
  ofUserStatus(
    "creating a user is 201 with the URL of the user's page; the password is never returned",
    async (place) => {
      const { admin, login, call } = place
      const data = {
        username: freshName(),
        password: password(),
        scope: place.folder,
        perm: { download: true },
      }
      const reply = await admin.call('POST', '/api/users', { body: { what: 'user', which: [], data } })
      answers(reply, 201)
      equal(reply.text, '201 Created\n')
      const [, id = ''] = /^\/settings\/users\/(\d+)$/.exec(String(reply.headers.location)) ?? []
      tells(await admin.call('GET', `/api/users/${id}`), {
        id: Number(id),
        username: data.username,
        password: '',
        perm: { admin: false, download: true, create: false },
        rules: [],
        commands: [],
      })
      const token = (await login(data.username, data.password)).text
      isDone(await admin.call('DELETE', `/api/users/${id}`))
      refuses(await admin.call('GET', `/api/users/${id}`), 404)
      refuses(await call('GET', '/api/resources/', { headers: { 'X-Auth': token } }), 401)
    },
  ),
  ofUserStatus('a taken name is 409, in upper or lower case', async ({ admin, ann }) => {
    for (const username of [ann.username, ann.username.toUpperCase()]) {
      const data = { username, password: password() }
      refuses(await admin.call('POST', '/api/users', { body: { what: 'user', which: [], data } }), 409)
    }
  }),
  ofUsersAndSettings('an invalid user is 400', async ({ admin }) => {
    const post = (body: unknown) => admin.call('POST', '/api/users', { body: body as object })
    const data = { username: freshName(), password: password() }
    refuses(await post({ what: 'user', which: [], data: { ...data, password: '' } }), 400)
    refuses(await post({ what: 'user', which: [], data: { ...data, password: 'short' } }), 400)
    refuses(await post({ what: 'user', which: [], data: { ...data, username: '' } }), 400)
    refuses(await post({ what: 'user', which: ['all'], data }), 400)
    refuses(await post({ what: 'share', which: [], data }), 400)
    refuses(await post({ what: 'user', which: [], data: { ...data, perm: { admin: 'yes' } } }), 400)
    refuses(await admin.call('POST', '/api/users', { body: '{"what":' }), 400)
    ok(!(await admin.call('GET', '/api/users')).json<User[]>().some((one) => one.username === data.username))
  }),
  ofUsers(
    'administrators list all users by id; other users see only themselves, without their scope',
    async (place) => {
      const { admin, ann, guest } = place
      const ids = (await admin.call('GET', '/api/users')).json<User[]>().map(({ id }) => id)
      deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      )
      refuses(await ann.call('GET', '/api/users'), 403)
      tells(await ann.call('GET', `/api/users/${ann.id}`), { id: ann.id, scope: '', password: '' })
      refuses(await ann.call('GET', `/api/users/${guest.id}`), 403)
      refuses(await admin.call('GET', '/api/users/999999999'), 404)
    },
  ),
  ofUsersAndSettings(
    'users change their own display preferences, but not their permissions',
    async ({ ann, guest }) => {
      isDone(await change(ann, ann.id, ['locale'], { locale: 'de' }))
      isDone(await change(ann, ann.id, ['viewMode'], { viewMode: 'mosaic' }))
      isDone(await change(ann, ann.id, ['sorting'], { sorting: { by: 'size', asc: true } }))
      isDone(
        await change(ann, ann.id, ['singleClick', 'hideDotfiles'], {
          singleClick: true,
          hideDotfiles: false,
        }),
      )
      tells(await ann.call('GET', `/api/users/${ann.id}`), {
        locale: 'de',
        viewMode: 'mosaic',
        singleClick: true,
      })
      isDone(
        await change(ann, ann.id, ['locale', 'sorting'], {
          locale: 'en',
          sorting: { by: 'name', asc: false },
        }),
      )
      const data = {
        perm: { admin: true },
        scope: '/',
        username: 'root',
        lockPassword: false,
        commands: ['sh'],
        rules: [],
      }
      for (const field of [...Object.keys(data), 'all'])
        refuses(await change(ann, ann.id, [field], data), 403)
      refuses(await change(ann, guest.id, ['locale'], { locale: 'de' }), 403)
      tells(await ann.call('GET', `/api/users/${ann.id}`), { perm: { admin: false }, username: ann.username })
    },
  ),
  ofUsersAndSettings('which may contain only known fields', async ({ admin, ann }) => {
    for (const which of [['nothing'], ['id'], ['__proto__'], ['hash'], []]) {
      refuses(await change(admin, ann.id, which, { locale: 'de' }), 400)
    }
    refuses(
      await admin.call('PUT', `/api/users/${ann.id}`, {
        body: { what: 'user', which: ['locale'], data: { id: 1 } },
      }),
      400,
    )
    refuses(await change(admin, ann.id, ['locale'], { locale: 'tlh' }), 400)
    refuses(await change(admin, ann.id, ['viewMode'], { viewMode: 5 }), 400)
    refuses(await change(admin, 999_999_999, ['locale'], { locale: 'de' }), 404)
  }),
  ofUsersAndSettings(
    'a password change needs the current password or a recent login, and ends other sessions',
    async (place) => {
      const { addPerson, login, call } = place
      const person = await addPerson({})
      const other = (await login(person.username, person.password)).text
      const next = password()
      const wrong = { current_password: 'this is wrong' }
      refuses(await change(person, person.id, ['password'], { password: next }, wrong), 400)
      refuses(await change(person, person.id, ['password'], { password: 'short' }), 400)
      isDone(
        await change(
          person,
          person.id,
          ['password'],
          { password: next },
          { current_password: person.password },
        ),
      )
      answers(await person.call('GET', '/api/resources/'), 200)
      refuses(await call('GET', '/api/resources/', { headers: { 'X-Auth': other } }), 401)
      refuses(await login(person.username, person.password), 403)
      answers(await login(person.username, next), 200)
    },
  ),
  ofUsersAndSettings('without which, all given fields are changed', async ({ admin, addPerson, ann }) => {
    const person = await addPerson({ download: true })
    const put = (by: Person, data: object) =>
      by.call('PUT', `/api/users/${person.id}`, { body: { what: 'user', data: { id: person.id, ...data } } })
    isDone(await put(admin, { locale: 'fr', sorting: { by: 'size' } }))
    tells(await admin.call('GET', `/api/users/${person.id}`), {
      locale: 'fr',
      sorting: { by: 'size', asc: false },
      perm: { download: true },
    })
    isDone(await put(admin, { sorting: { asc: true } }))
    tells(await admin.call('GET', `/api/users/${person.id}`), { sorting: { by: 'name', asc: true } })
    refuses(await put(person, { locale: 'de' }), 403)
    refuses(await put(ann, { locale: 'de' }), 403)
    refuses(await put(admin, { sorting: { asc: 'no' } }), 400)
  }),
  ofUsers(
    'an allow rule with an empty path, as a new row of the form has, may be saved; a deny rule is 400',
    async (place) => {
      const { admin, ann, addPerson, room } = place
      const path = await room({ 'no/a.txt': '', 'yes.txt': '' })
      const person = await addPerson({})
      const row = (allow: boolean, path: string) => ({ regex: false, allow, path, regexp: { raw: '' } })
      isDone(await change(admin, person.id, ['rules'], { rules: [row(false, `${path}/no`), row(true, '')] }))
      refuses(await person.call('GET', `/api/resources${path}/no/a.txt`), 403)
      answers(await person.call('GET', `/api/resources${path}/yes.txt`), 200)
      refuses(await change(admin, person.id, ['rules'], { rules: [row(false, '')] }), 400)
      answers(await ann.call('GET', `/api/resources${path}/no/a.txt`), 200)
    },
  ),
  ofUsersAndSettings('a locked password is 403 for its owner', async ({ admin, addPerson, login, call }) => {
    const person = await addPerson({})
    isDone(await change(admin, person.id, ['lockPassword'], { lockPassword: true }))
    const again = withToken(call, (await login(person.username, person.password)).text)
    refuses(await change({ ...person, call: again }, person.id, ['password'], { password: password() }), 403)
    answers(await login(person.username, person.password), 200)
  }),
  ofUsersAndSettings(
    'administrators write the whole account; an empty password keeps the old one',
    async (place) => {
      const { admin, addPerson, login } = place
      const person = await addPerson({ download: true })
      const user = (await admin.call('GET', `/api/users/${person.id}`)).json<object>()
      const data = { ...user, password: '', locale: 'fr', perm: { create: true, download: true } }
      isDone(await change(admin, person.id, ['all'], data))
      tells(await admin.call('GET', `/api/users/${person.id}`), {
        locale: 'fr',
        perm: { create: true, rename: false },
      })
      answers(await login(person.username, person.password), 200)
    },
  ),
  ofUserStatus(
    'only administrators create and delete users; an unknown user is 404',
    async ({ admin, ann, guest }) => {
      refuses(await guest.call('DELETE', `/api/users/${ann.id}`), 403)
      refuses(await guest.call('POST', '/api/users', { body: {} }), 403)
      refuses(await admin.call('DELETE', '/api/users/999999999'), 404)
      for (const id of ['abc', '0', '-1', '1.5']) refuses(await admin.call('GET', `/api/users/${id}`), 404)
    },
  ),
]
