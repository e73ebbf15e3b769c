import t from 'tap'
import { inReadersOrder } from './subtitle-order.ts'

t.test('subtitles come in the order of the reader: their language, none, another', async (t) => {
  const order = (language: string, ...names: string[]) =>
    inReadersOrder(
      'film.mkv',
      names.map((name) => `/${name}`),
      language,
    ).map((path) => path.slice(1))
  t.strictSame(order('en', 'film.de.vtt', 'film.srt'), ['film.srt', 'film.de.vtt'])
  t.strictSame(order('en', 'film.de.vtt', 'film.srt', 'film.en.srt')[0], 'film.en.srt')
  t.strictSame(order('de', 'film.srt', 'film.ger.forced.vtt')[0], 'film.ger.forced.vtt', 'three letters, too')
  t.strictSame(order('pt-br', 'film.pt.srt', 'film.pt_BR.srt', 'film.srt'), [
    'film.pt_BR.srt',
    'film.pt.srt',
    'film.srt',
  ])
  t.strictSame(
    order('fr', 'film.notes.vtt', 'film.srt', 'film.de.vtt'),
    ['film.srt', 'film.notes.vtt', 'film.de.vtt'],
    'a word that is no language is none',
  )
  t.strictSame(order('en', 'film.sdh.srt', 'film.de.srt')[0], 'film.sdh.srt', 'SDH is no language')
  t.strictSame(order('en', 'en.srt', 'film.srt')[0], 'en.srt', 'as in a folder for subtitles')
  t.strictSame(
    order('en', 'film.b.vtt', 'film.a.vtt'),
    ['film.b.vtt', 'film.a.vtt'],
    'the rest keeps its order',
  )
  t.strictSame(order('en', 'film.x-y-z-"<.vtt', 'film..srt', 'film.'.repeat(50)).length, 3)
})
