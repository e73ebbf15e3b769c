import t from 'tap'
import { canTake } from './transfer.ts'

t.test('nothing goes into itself, and nothing moves to where it is', async (t) => {
  const folder = [{ name: 'a', path: '/a', isDir: true, size: 0, modified: '' }]
  t.notOk(canTake('copy', folder, '/a/'))
  t.notOk(canTake('rename', folder, '/a/deep/'))
  t.notOk(canTake('rename', folder, '/'))
  t.ok(canTake('copy', folder, '/'), 'a copy beside its original is another name')
  t.ok(canTake('rename', folder, '/ab/'), 'a name that only begins alike is another folder')
})
