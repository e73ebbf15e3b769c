import t from 'tap'
import { languageOf } from './request-headers.ts'

t.test("uses the user's language, then the first known language of the browser, then English", async (t) => {
  t.equal(languageOf('de', 'sv-SE'), 'de')
  t.equal(languageOf('', 'cs, sv-SE;q=0.9, en;q=0.8'), 'sv-se')
  t.equal(languageOf('', 'pt-BR,pt;q=0.9'), 'pt-br')
  t.equal(languageOf('', 'pt-PT'), 'pt')
  for (const odd of [undefined, '', '*', ';;,,', 'x'.repeat(100_000), '\0'])
    t.equal(languageOf('', odd), 'en')
})
