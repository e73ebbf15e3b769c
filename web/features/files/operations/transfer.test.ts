import t from 'tap'
import { canTransferTo } from './transfer.ts'

t.test('a folder cannot go into itself, and a move needs another folder', async (t) => {
  const folder = [{ name: 'a', path: '/a', isDir: true, size: 0, modified: '' }]
  t.notOk(canTransferTo('copy', folder, '/a/'))
  t.notOk(canTransferTo('rename', folder, '/a/deep/'))
  t.notOk(canTransferTo('rename', folder, '/'))
  t.ok(canTransferTo('copy', folder, '/'), 'a copy beside its original gets another name')
  t.ok(canTransferTo('rename', folder, '/ab/'), 'a folder with the same prefix is another folder')
})
