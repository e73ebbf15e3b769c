import { RE2JS } from 're2js'
import t from 'tap'
import { firstRule, type NameRule, newNames, withoutTaken } from './new-names.ts'
import { replaceText } from './replace-text.ts'

const item = (name: string, isDir = false) => ({
  name,
  isDir,
  path: `/${name}`,
  modified: '2026-03-04T12:00:00Z',
  type: 'image' as const,
})

t.test('new names keep their extension unless it is changed, too', async (t) => {
  const taken = new Map([['b.jpg', { taken: '2024-05-01T23:59:00-11:00' }]])
  const names = (change: Partial<typeof firstRule>, ...items: ReturnType<typeof item>[]) => {
    const rule = { ...firstRule, ...change }
    return newNames(items, rule, { replace: replaceText(rule, RE2JS), taken })
  }
  t.same(names({ find: 'A', replacement: '$&' }, item('a-a.a')), ['$&-$&.a'])
  t.same(names({ find: 'A', matchesCase: true }, item('aA.txt')), ['a.txt'])
  t.same(names({ find: '(\\d+)-(\\d+)', replacement: '$2-$1', isPattern: true }, item('1-22.txt')), [
    '22-1.txt',
  ])
  t.same(names({ find: '.*', isPattern: true, withEnding: true }, item('a.txt')), [''])
  t.throws(() => names({ find: '(', isPattern: true }, item('a')))
  t.same(
    names({ mode: 'number', prefix: 'img ', start: 9, digits: 2 }, item('x.tar.gz'), item('d.1', true)),
    ['img 09.tar.gz', 'img 10'],
  )
  t.same(names({ mode: 'case', letters: 'title' }, item('élan VITAL.TXT')), ['Élan Vital.TXT'])
  t.same(names({ mode: 'case', letters: 'lower', withEnding: true }, item('A.TXT')), ['a.txt'])
  t.same(names({ mode: 'date', datePlace: 'after' }, item('a.txt')), ['a 2026-03-04.txt'])
  t.same(
    names({ mode: 'date', date: 'taken' }, item('a.txt'), item('b.jpg')),
    ['2026-03-04 a.txt', '2024-05-01 b.jpg'],
    'in the time of the camera',
  )
})

/** The new name of one item by `rule`, without a pattern. */
const named = (rule: Partial<NameRule>, name: string, isDir = false) => {
  const whole = { ...firstRule, ...rule }
  return newNames([item(name, isDir)], whole, { replace: replaceText(whole, undefined), taken: new Map() })[0]
}

t.test('text that is replaced in names is taken literally', async (t) => {
  t.equal(named({ find: '.*', replacement: 'x' }, 'a.*b.txt'), 'axb.txt')
  t.equal(named({ find: '[1]', replacement: '(2)' }, 'a[1].txt'), 'a(2).txt')
  t.equal(named({ find: '-', replacement: '' }, 'a-b-c'), 'abc')
  t.equal(named({ find: 'ü', replacement: 'ue' }, 'Über.txt'), 'ueber.txt')
  t.equal(named({ find: '👍', replacement: '+1' }, '👍👍.txt'), '+1+1.txt')
  t.equal(named({ find: 'TXT', replacement: 'md', withEnding: true }, 'a.txt'), 'a.md')
  t.equal(named({ find: 'TXT', replacement: 'md' }, 'a.txt'), 'a.txt', 'the extension stays')
  t.equal(named({ find: 'a', isPattern: true }, 'a.txt'), 'a.txt', 'a pattern waits for its code')
})

t.test('a number replaces a name but its extension, and a folder has none', async (t) => {
  t.equal(named({ mode: 'number', start: 0, digits: 1 }, '.hidden'), '0')
  t.equal(named({ mode: 'number', start: 999, digits: 2 }, 'a.jpg'), '999.jpg', 'a long number is not cut')
  t.equal(named({ mode: 'number', prefix: '  ', withEnding: true }, 'a.jpg'), '01', 'spaces around a name go')
  t.equal(named({ mode: 'number' }, 'v1.2', true), '01')
})

t.test('words begin with an upper case letter in title case, also after an apostrophe', async (t) => {
  const title = (name: string) => named({ mode: 'case', letters: 'title' }, name)
  t.equal(title("the cat's 2nd HAT.txt"), "The Cat's 2nd Hat.txt")
  t.equal(title('àb-cd_ef.txt'), 'Àb-Cd_Ef.txt')
  t.equal(named({ mode: 'case', letters: 'upper' }, 'straße.txt'), 'STRASSE.txt')
})

t.test('the items without a date taken are those of which none is known', async (t) => {
  const items = [item('a.jpg'), item('b.jpg'), item('c.jpg')]
  const taken = new Map([
    ['a.jpg', { taken: '2024-05-01T12:00:00' }],
    ['b.jpg', { taken: 'nonsense' }],
  ])
  const rule = { ...firstRule, mode: 'date', date: 'taken' } as const
  t.strictSame([...withoutTaken(items, rule, taken)], ['b.jpg', 'c.jpg'])
  t.equal(withoutTaken(items, { ...rule, date: 'modified' }, taken).size, 0)
  t.equal(withoutTaken(items, { ...rule, mode: 'case' }, taken).size, 0)
})
