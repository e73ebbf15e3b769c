import t from 'tap'
import { languageOf } from './languages.ts'

t.test(
  "the user's language wins, then the first of the browser's that Coffer knows, then English",
  async (t) => {
    t.equal(languageOf('de', 'sv-SE'), 'de')
    t.equal(languageOf('', 'cs, sv-SE;q=0.9, en;q=0.8'), 'sv-se')
    t.equal(languageOf('', 'pt-BR,pt;q=0.9'), 'pt-br')
    t.equal(languageOf('', 'pt-PT'), 'pt')
    for (const odd of [undefined, '', '*', ';;,,', 'x'.repeat(100_000), '\0'])
      t.equal(languageOf('', odd), 'en')
  },
)
