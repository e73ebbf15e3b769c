import t from 'tap'
import {
  announceLiveChange,
  announceTrashChange,
  announceUnread,
  type LiveChange,
  mayConcern,
  mayConcernList,
  onLiveChange,
  onTrashChange,
  onUnreadChange,
} from './live-changes.ts'

const change = (folder: string, names?: string[], isDeep = false): LiveChange => ({ folder, names, isDeep })

t.test('a change concerns the entries that it names, or all if it names none', async (t) => {
  t.ok(mayConcern(change('/docs/', ['a.txt']), '/docs/', 'a.txt'))
  t.notOk(mayConcern(change('/docs/', ['a.txt']), '/docs/', 'b.txt'))
  t.ok(mayConcern(change('/docs/'), '/docs/', 'b.txt'))
  t.notOk(mayConcern(change('/docs/'), '/docs/deep/', 'b.txt'), 'not those in folders below')
  t.notOk(mayConcern(change('/docs/'), '/', 'docs'))
  t.notOk(mayConcern(change('/doc/', undefined, true), '/docs/', 'a.txt'), 'a name that begins alike')
})

t.test('after lost events everything below a folder may have changed', async (t) => {
  t.ok(mayConcern(change('/', undefined, true), '/docs/deep/', 'a.txt'))
  t.ok(mayConcernList(change('/', undefined, true), '/docs/deep/'))
  t.ok(mayConcernList(change('/docs/', ['a.txt']), '/docs/'))
  t.notOk(mayConcernList(change('/docs/'), '/docs/deep/'))
  t.notOk(mayConcernList(change('/docs/', undefined, true), '/'))
})

t.test('changes are announced to every listener until it unsubscribes', async (t) => {
  const heard: string[] = []
  const ends = [
    onLiveChange(({ folder }) => heard.push(`first ${folder}`)),
    onLiveChange(({ folder }) => heard.push(`second ${folder}`)),
    onTrashChange(() => heard.push('trash')),
    onUnreadChange((unread) => heard.push(`${unread ?? 'some'} unread`)),
  ]
  announceLiveChange(change('/a/'))
  announceTrashChange()
  announceUnread(2)
  announceUnread()
  t.strictSame(heard, ['first /a/', 'second /a/', 'trash', '2 unread', 'some unread'])
  ends[0]?.()
  announceLiveChange(change('/b/'))
  t.strictSame(heard.slice(5), ['second /b/'])
  for (const end of ends) end()
  announceLiveChange(change('/c/'))
  announceTrashChange()
  announceUnread(1)
  t.equal(heard.length, 6)
})
