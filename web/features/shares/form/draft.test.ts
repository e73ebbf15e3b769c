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
    ...{
      expire: 2_000_000_000,
      title: 'T',
      slug: 'own',
      maxFiles: 3,
      maxFileSize: 1536,
      maxBytes: 2 * 1024 ** 3,
    },
    types: ['.pdf', 'image/*'],
  }
  t.same(changeOf(draftOf(full), full), {
    rights: 'upload',
    ...{ title: 'T', slug: 'own', maxFiles: 3, maxFileSize: 1536, maxBytes: 2 * 1024 ** 3 },
    types: ['.pdf', 'image/*'],
  })
  t.same(changeOf(draftOf(link), link), { rights: 'upload' })
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
