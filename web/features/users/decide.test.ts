import t from 'tap'
import type { Rule } from '#contract/users.ts'
import { decide } from './decide.ts'

const rule = (allow: boolean, path: string): Rule => ({ allow, path, regex: false, regexp: null })
const pattern = (allow: boolean, raw: string): Rule => ({ allow, path: '', regex: true, regexp: { raw } })

t.test('the last rule that matches a path decides', async (t) => {
  const rules = [rule(false, '/private'), rule(true, 'private/open/'), pattern(false, '\\.key$')]
  for (const [path, isAllowed, number] of [
    ['/notes.txt', true, 0],
    ['/private', false, 1],
    ['private/a.txt', false, 1],
    ['/privateer', true, 0],
    ['/private/open/a.txt', true, 2],
    ['/private/open/a.key', false, 3],
    ['', true, 0],
  ] as const)
    t.strictSame(decide(rules, path), { isAllowed, rule: number }, path)
  t.strictSame(decide([rule(true, '/'), pattern(true, '(')], '/a'), { isAllowed: false, rule: 2 })
  t.strictSame(decide([rule(false, '/')], '/a'), { isAllowed: false, rule: 1 })
})
