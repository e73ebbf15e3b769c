import t from 'tap'
import { entryOf, removeEntry, setEntry } from './lookup.ts'

const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__']

t.test('inherited properties are not entries of a table', async (t) => {
  const table = { hours: 3600 }
  t.equal(entryOf(table, 'hours'), 3600)
  for (const word of [...inherited, '', 'minutes']) t.equal(entryOf(table, word), undefined, word)
  t.equal(entryOf({ 7: 'seven' }, 7), 'seven')
})

t.test('an entry may have any key, is part of the JSON, and can be removed', async (t) => {
  for (const word of inherited) {
    const table: Record<string, number> = {}
    setEntry(table, word, 1)
    t.equal(entryOf(table, word), 1)
    t.equal(Object.getPrototypeOf(table), Object.prototype)
    t.equal(JSON.stringify(table), `{"${word}":1}`)
    t.equal(entryOf(structuredClone(table), word), 1)
    setEntry(table, word, 2)
    removeEntry(table, word)
    t.strictSame(Object.keys(table), [])
  }
})
