import t from 'tap'
import { canTake } from './transfer.ts'

t.test('a folder cannot go into itself, and a move needs another folder', async (t) => {
  const folder = [{ name: 'a', path: '/a', isDir: true, size: 0, modified: '' }]
  t.notOk(canTake('copy', folder, '/a/'))
  t.notOk(canTake('rename', folder, '/a/deep/'))
  t.notOk(canTake('rename', folder, '/'))
  t.ok(canTake('copy', folder, '/'), 'a copy beside its original gets another name')
  t.ok(canTake('rename', folder, '/ab/'), 'a folder with the same prefix is another folder')
})
