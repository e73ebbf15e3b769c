import t from 'tap'
import { choose, languages } from './i18n.ts'

t.test("the chosen language is used, then the browser's, then English", async (t) => {
  t.equal(choose('en', ['de-DE']), 'en')
  t.equal(choose('', ['xx', 'en-GB']), 'en')
  t.equal(choose('', ['xx', 'de-AT', 'en']), 'de')
  t.equal(choose('', []), 'en')
  t.equal(choose('', ['*', 'x', 'not a tag']), 'en')
})

t.test('of two variants of a language the closer one is shown', async (t) => {
  const expected = {
    'pt-PT': 'pt',
    'pt-BR': 'pt-br',
    pt: 'pt',
    'zh-TW': 'zh-tw',
    'zh-HK': 'zh-tw',
    'zh-Hant': 'zh-tw',
    'zh-SG': 'zh-cn',
    zh: 'zh-cn',
    'zh-': 'zh-cn',
    'nl-NL': 'nl-be',
    sv: 'sv-se',
  }
  for (const [tag, language] of Object.entries(expected)) t.equal(choose('', [tag]), language, tag)
})

t.test('there are eighteen languages', async (t) => {
  t.equal(languages.length, 18)
})
