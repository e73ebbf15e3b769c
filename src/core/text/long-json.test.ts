import t from 'tap'
import { shortText, withLongText } from './long-json.ts'

t.test('a long text becomes JSON in slices, with a turn of the event loop after each', async (t) => {
  const pair = '😀'
  for (const text of [
    '"'.repeat(20 * shortText),
    `x${pair.repeat(shortText)}`,
    '\0\n\u2028é'.repeat(shortText),
    'a',
  ]) {
    let slices = 0
    const json = await withLongText('{"a":1}', { name: 'content', text }, async () => {
      slices++
    })
    t.equal(json.toString(), JSON.stringify({ a: 1, content: text }))
    t.ok(slices * shortText >= text.length, `${slices} slices for ${text.length} characters`)
  }
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const text = '"'.repeat(10 * shortText)
  t.equal((await withLongText('{}', { name: 'b', text })).toString(), JSON.stringify({ b: text }))
  clearImmediate(next)
  t.ok(turns >= 9, `others had ${turns} turns`)
})
