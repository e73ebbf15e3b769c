import t from 'tap'
import { foldersOf, isWithin, moveOf, pathAfter } from './changes.ts'

t.test('a path follows moves of itself and of the folders around it, one after the other', async (t) => {
  const moved = [moveOf('/a/b/', '/c/b/'), moveOf('/c/b/x.txt', '/c/b/y.txt')]
  for (const [before, after] of [
    ['/a/b', '/c/b'],
    ['/a/b/', '/c/b/'],
    ['/a/b/x.txt', '/c/b/y.txt'],
    ['/a/b/z/', '/c/b/z/'],
    ['/a/bc/', '/a/bc/'],
    ['/a/', '/a/'],
    ['/', '/'],
  ] as const)
    t.equal(pathAfter(before, moved), after)
  const swapped = [moveOf('/1', '/tmp'), moveOf('/2', '/1'), moveOf('/tmp', '/2')]
  t.same(
    ['/1', '/2'].map((path) => pathAfter(path, swapped)),
    ['/2', '/1'],
  )
  t.equal(pathAfter('/a'), '/a')
})

t.test('a name that only begins like a folder is not inside of it', async (t) => {
  t.ok(isWithin('/a/b', '/a/'))
  t.ok(isWithin('/a/', '/a'))
  t.notOk(isWithin('/ab', '/a'))
  t.same(foldersOf(['/a/1', '/a/2/', '/3']), ['/a/', '/'])
})
