import t from 'tap'
import { sortForLanguage } from './subtitle-order.ts'

t.test(
  'sorts subtitles: the language of the user first, then no language, then other languages',
  async (t) => {
    const order = (language: string, ...names: string[]) =>
      sortForLanguage(
        'film.mkv',
        names.map((name) => `/${name}`),
        language,
      ).map((path) => path.slice(1))
    t.strictSame(order('en', 'film.de.vtt', 'film.srt'), ['film.srt', 'film.de.vtt'])
    t.strictSame(order('en', 'film.de.vtt', 'film.srt', 'film.en.srt')[0], 'film.en.srt')
    t.strictSame(
      order('de', 'film.srt', 'film.ger.forced.vtt')[0],
      'film.ger.forced.vtt',
      'codes of three letters match as well',
    )
    t.strictSame(order('pt-br', 'film.pt.srt', 'film.pt_BR.srt', 'film.srt'), [
      'film.pt_BR.srt',
      'film.pt.srt',
      'film.srt',
    ])
    t.strictSame(
      order('fr', 'film.notes.vtt', 'film.srt', 'film.de.vtt'),
      ['film.srt', 'film.notes.vtt', 'film.de.vtt'],
      'a word that is not a language code is ignored',
    )
    t.strictSame(
      order('en', 'film.sdh.srt', 'film.de.srt')[0],
      'film.sdh.srt',
      'SDH is not treated as a language',
    )
    t.strictSame(
      order('en', 'en.srt', 'film.srt')[0],
      'en.srt',
      'a name without the video name, as in a subtitle folder',
    )
    t.strictSame(
      order('en', 'film.b.vtt', 'film.a.vtt'),
      ['film.b.vtt', 'film.a.vtt'],
      'other files keep their order',
    )
    t.strictSame(order('en', 'film.x-y-z-"<.vtt', 'film..srt', 'film.'.repeat(50)).length, 3)
  },
)
