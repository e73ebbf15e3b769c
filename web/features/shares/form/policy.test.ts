import t from 'tap'
import type { SharingPolicy } from '#contract/shares.ts'
import { page } from '#web/shared/page.ts'
import { newDraft } from './draft.ts'
import { allowsLifetime, allowsRights, firstDraft, needsPassword } from './policy.ts'

const open: SharingPolicy = { password: false, longest: 0, uploads: true, who: 'permitted' }

t.teardown(() => {
  page.Sharing = open
})

t.test('without a policy, a new link never ends, and everything can be chosen', async (t) => {
  page.Sharing = open
  t.equal(firstDraft().lifetime, 'never')
  t.ok(allowsRights('edit'))
  t.ok(allowsLifetime('never'))
  t.notOk(needsPassword(newDraft))
})

t.test('with a longest life, a new link ends in a week, or as late as it can', async (t) => {
  page.Sharing = { ...open, longest: 30 }
  t.equal(firstDraft().lifetime, 'week')
  t.same(
    (['never', 'month', 'time', 'date'] as const).map((one) => allowsLifetime(one)),
    [false, true, true, true],
  )
  page.Sharing = { ...open, longest: 3 }
  t.match(firstDraft(), { lifetime: 'time', length: '3', lengthUnit: 'days' })
  t.same(
    (['day', 'week'] as const).map((one) => allowsLifetime(one)),
    [true, false],
  )
})

t.test('a policy may turn uploads off, and ask for a password or for people', async (t) => {
  page.Sharing = { ...open, uploads: false, password: true }
  t.same((['view', 'download', 'upload', 'upload-view', 'edit'] as const).filter(allowsRights), [
    'view',
    'download',
  ])
  t.ok(needsPassword(newDraft))
  t.notOk(needsPassword({ people: [], person: 'bob' }), 'a name that is just being typed counts')
  t.notOk(needsPassword({ people: ['bob'], person: '' }))
})
