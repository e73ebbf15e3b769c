import t from 'tap'
import { labelOf } from './subtitles.ts'

t.test(
  'labels subtitles by their language, or by the part of the name that the video name lacks',
  async (t) => {
    const name = (file: string) => labelOf('film.mp4', file, 'en')
    t.same(name('film.en.srt'), { label: 'English', language: 'en' })
    t.same(name('film.pt_BR.vtt'), { label: 'Brazilian Portuguese', language: 'pt-BR' })
    t.same(name('film - director speaks.ass'), { label: 'director speaks', language: undefined })
    t.same(name('film.vtt'), { label: 'film.vtt', language: undefined })
    t.same(name('3_English.srt'), { label: '3_English', language: undefined })
  },
)
