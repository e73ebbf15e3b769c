import t from 'tap'
import { choose } from './i18n.ts'

t.test("the wished language wins, then the browser's, then English", async (t) => {
  t.equal(choose('en', ['de-DE']), 'en')
  t.equal(choose('', ['xx', 'en-GB']), 'en')
  t.equal(choose('', []), 'en')
})
