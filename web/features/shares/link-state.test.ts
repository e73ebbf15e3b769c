import { i18n } from '@lingui/core'
import t from 'tap'
import type { ShareView } from '#contract/shares.ts'
import { stateOf, stateText } from './link-state.ts'

i18n.load('en', {})
i18n.activate('en')

const day = 86_400
const now = Date.parse('2026-12-01T12:00:00Z')
const used = { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0 }

function link(part: Partial<ShareView>, use: Partial<typeof used> = {}): ShareView {
  const common = { hash: 'h', path: '/a', userID: 1, created: 1, expire: 0, hasPassword: false }
  return { ...common, rights: 'download', ...part, used: { ...used, ...use } } as ShareView
}

t.test('the state of a link says how much of it is used, and when it ends', async (t) => {
  const expire = now / 1000 + 4 * day - 60
  t.equal(
    stateText(link({ maxDownloads: 3, expire }, { downloads: 2 }), now),
    '2 of 3 downloads, ends in 4 days',
  )
  t.equal(stateText(link({ rights: 'upload', maxFiles: 9 }, { files: 4 }), now), '4 of 9 files received')
  t.equal(stateText(link({ maxVisitors: 5 }, { visitors: 1 }), now), '1 of 5 visitors')
  t.equal(stateText(link({}), now), '', 'a link without limits that was not used')
})

t.test('a link that cannot be used says why', async (t) => {
  const rows: [string, string, Partial<ShareView>, Partial<typeof used>?][] = [
    ['paused', 'Paused', { paused: true, maxDownloads: 3 }, { downloads: 3 }],
    ['used', 'All downloads used', { maxDownloads: 3 }, { downloads: 3 }],
    ['full', 'All files received', { rights: 'upload', maxFiles: 2 }, { files: 2 }],
    ['ended', 'Ended', { expire: now / 1000, paused: true }],
    ['planned', 'Starts on', { starts: '2026-12-02T12:00:00Z' }],
    ['open', '2 of 2 files received', { rights: 'upload-view', maxFiles: 2 }, { files: 2 }],
  ]
  for (const [state, words, part, use] of rows) {
    t.equal(stateOf(link(part, use), now), state)
    t.match(stateText(link(part, use), now), words)
  }
})
