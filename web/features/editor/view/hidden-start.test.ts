import { Text } from '@codemirror/state'
import t from 'tap'
import { smallestChange } from './hidden-start.ts'

t.test('changes only what differs between two texts', async (t) => {
  for (const [before, after, from, to, insert] of [
    ['abc', 'abc', 3, 3, ''],
    ['', 'abc', 0, 0, 'abc'],
    ['abc', '', 0, 3, ''],
    ['draft: true\nx', 'draft: false\nx', 7, 10, 'fals'],
    ['aaa', 'aaaa', 3, 3, 'a'],
    ['a\nb', 'a\nc\nb', 2, 2, 'c\n'],
    ['a\r\nb', 'a\r\nc\r\nb', 3, 3, 'c\r\n'],
  ] as const) {
    const change = smallestChange(before, after)
    t.same([change.from, change.to, change.insert.toString()], [from, to, insert], JSON.stringify(after))
    const doc = Text.of(before.split('\n')).replace(change.from, change.to, change.insert)
    t.equal(doc.toString(), after)
  }
})
