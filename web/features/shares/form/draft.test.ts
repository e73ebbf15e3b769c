import t from 'tap'
import type { ShareView } from '#contract/shares.ts'
import { changeOf, draftOf, newDraft } from './draft.ts'

const link: ShareView = {
  ...{ hash: 'h', path: '/a', userID: 1, expire: 0, created: 1, hasPassword: false, rights: 'upload' },
  used: { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0 },
}

t.test('the form of a link changes nothing that was not changed in it', async (t) => {
  const full: ShareView = {
    ...link,
    ...{ rights: 'edit', expire: 2_000_000_000, hasPassword: true, title: 'T', message: 'M', slug: 'own' },
    ...{ maxDownloads: 5, maxFiles: 3, maxFileSize: 1_234_567_890, maxBytes: 2 * 1024 ** 3 + 1 },
    ...{ starts: '2030-05-01T08:30:30.500Z', types: ['.pdf', 'image/*'], askName: true },
  }
  t.same(changeOf(draftOf(full), full), {})
  t.same(changeOf(draftOf(link), link), {})
  t.same(changeOf({ ...draftOf(full), title: ' Another ', maxFiles: '' }, full), {
    title: 'Another',
    maxFiles: null,
  })
  const unit = changeOf({ ...draftOf(full), totalUnit: '2', types: '.pdf' }, full)
  t.same(unit, { maxBytes: 2 * 1024 ** 2, types: ['.pdf'] })
  t.same(changeOf({ ...draftOf(full), starts: '' }, full), { starts: null })
})

t.test('the rights and the expiry of a link are changed only by their fields', async (t) => {
  const ending: ShareView = { ...link, expire: 2_000_000_000, title: 'T' }
  t.same(changeOf({ ...draftOf(ending), rights: 'edit' }, ending), { rights: 'edit' })
  t.same(changeOf({ ...draftOf(ending), lifetime: 'never' }, ending), { expires: null })
  t.same(changeOf({ ...draftOf(ending), isOpened: true }, ending), { password: null })
})

t.test('conditions that do not fit the rights are cleared', async (t) => {
  const before: ShareView = { ...link, maxFiles: 3, types: ['.pdf'], askName: true }
  const change = changeOf({ ...draftOf(before), rights: 'view', maxDownloads: '3' }, before)
  t.same(change, { rights: 'view', maxFiles: null, types: null, askName: null })
})

t.test('types may be written without their dot, or with a star', async (t) => {
  const change = changeOf({ ...newDraft, rights: 'upload', types: ' pdf; *.jpg,image/*' }, undefined)
  t.same(change, { rights: 'upload', types: ['.pdf', '.jpg', 'image/*'] })
})

t.test('a start in a year that has no time is not sent', async (t) => {
  for (const starts of ['275760-10-01T00:00', '12345-01-01T00:00'])
    t.equal(changeOf({ ...newDraft, starts }, undefined), undefined, starts)
  t.match(changeOf({ ...newDraft, starts: '9999-12-31T12:00' }, undefined), { starts: /^9999-12-31T/ })
})

t.test('a link may have limits for visitors and speed, a look, people and a cover picture', async (t) => {
  const fields = { maxVisitors: '5', rate: '2', from: ' Ann ', cover: '/a.png', people: ['bob'] }
  const change = changeOf({ ...newDraft, ...fields, view: 'gallery', theme: 'dark' }, undefined)
  t.same(change, {
    ...{ maxVisitors: 5, rate: 2 * 1024 ** 2, from: 'Ann', cover: '/a.png', people: ['bob'] },
    look: { view: 'gallery', theme: 'dark' },
  })
  t.same(changeOf({ ...newDraft, people: ['bob'], person: 'eve, bob,' }, undefined), {
    people: ['bob', 'eve'],
  })
  const before: ShareView = { ...link, rights: 'view', ...change, look: { view: 'list' } } as ShareView
  t.same(changeOf(draftOf(before), before), {})
  t.same(changeOf({ ...draftOf(before), ...{ people: [], cover: '', rate: '', view: '' } }, before), {
    ...{ people: null, cover: null, rate: null, look: null },
  })
  const received = changeOf({ ...draftOf(before), rights: 'upload' }, before)
  t.same(received, { rights: 'upload', look: null }, 'who sees no files needs no view for them')
})

t.test('notices about visitors are in the page, unless the owner chooses others or none', async (t) => {
  t.same(changeOf({ ...newDraft, notify: ['page'] }, undefined), {})
  t.same(changeOf({ ...newDraft, notify: ['webhook', 'page'] }, undefined), { notify: ['page', 'webhook'] })
  t.same(changeOf({ ...newDraft, notify: [] }, undefined), { notify: [] })
  const silent: ShareView = { ...link, notify: [] }
  t.same(draftOf(silent).notify, [])
  t.same(changeOf({ ...draftOf(silent), notify: ['page'] }, silent), { notify: null })
})
