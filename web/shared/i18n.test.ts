import t from 'tap'
import { chooseLanguage, languages } from './i18n.ts'

t.test("the chosen language is used, then the browser's, then English", async (t) => {
  t.equal(chooseLanguage('en', ['de-DE']), 'en')
  t.equal(chooseLanguage('', ['xx', 'en-GB']), 'en')
  t.equal(chooseLanguage('', ['xx', 'de-AT', 'en']), 'de')
  t.equal(chooseLanguage('', []), 'en')
  t.equal(chooseLanguage('', ['*', 'x', 'not a tag']), 'en')
})

t.test('a chosen language that is missing falls back to the nearest one', async (t) => {
  const expected = {
    'pt-pt': 'pt',
    pt_BR: 'pt-br',
    nl: 'nl-be',
    sv: 'sv-se',
    bg: 'en',
    uk: 'en',
    ua: 'en',
    no: 'en',
  }
  for (const [tag, language] of Object.entries(expected)) t.equal(chooseLanguage(tag, ['en']), language, tag)
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
  for (const [tag, language] of Object.entries(expected)) t.equal(chooseLanguage('', [tag]), language, tag)
})

t.test('there are eighteen languages', async (t) => {
  t.equal(languages.length, 18)
})
