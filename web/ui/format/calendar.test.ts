import t from 'tap'
import { firstDayOfWeek, startOfDay, startOfWeek } from './calendar.ts'

t.test(
  'the week begins on the chosen day, else as in the language and the region of the browser',
  async (t) => {
    const cases = [
      ['saturday', 'de', [], 6],
      ['sunday', 'de', [], 0],
      ['monday', 'en', ['en-US'], 1],
      ['', 'de', [], 1],
      [undefined, 'en', [], 0],
      ['', 'en', ['de-DE', 'en-GB'], 1],
      ['', 'en', ['en-'], 0],
      ['', 'ja', [], 0],
      ['', 'ar', [], 6],
      ['', 'zh-TW', [], 0],
    ] as const
    for (const [chosen, tag, browser, day] of cases)
      t.equal(firstDayOfWeek(chosen, tag, browser), day, `${chosen} ${tag} ${browser}`)
  },
)

t.test('without information of the browser about weeks, the region decides', async (t) => {
  const prototype = Intl.Locale.prototype as { getWeekInfo?: unknown }
  const own = prototype.getWeekInfo
  prototype.getWeekInfo = undefined
  t.teardown(() => {
    prototype.getWeekInfo = own
  })
  t.same(
    ['fr', 'pt-BR', 'ar', 'sv-SE', 'ko'].map((tag) => firstDayOfWeek('', tag, [])),
    [1, 0, 6, 1, 0],
  )
})

t.test('a week begins at midnight of its first day, also after a change of the clock', async (t) => {
  const wednesday = new Date(2031, 3, 2, 10, 30).getTime()
  t.equal(startOfWeek(wednesday, 1), new Date(2031, 2, 31).getTime())
  t.equal(startOfWeek(wednesday, 1, 1), new Date(2031, 2, 24).getTime())
  t.equal(startOfWeek(wednesday, 3), new Date(2031, 3, 2).getTime())
  t.equal(startOfWeek(wednesday, 4), new Date(2031, 2, 27).getTime())
  t.equal(startOfDay(wednesday, 2), new Date(2031, 2, 31).getTime())
})
