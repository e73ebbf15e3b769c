import t from 'tap'
import { fileNameOf } from './file-name.ts'
import { clockOf, dayOf, timeOf, toRfc3339 } from './local-time.ts'

t.test('writes a local time with the offset of that time', async (t) => {
  const zone = process.env.TZ
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  for (const [name, winter, summer] of [
    ['Europe/Berlin', '+01:00', '+02:00'],
    ['America/St_Johns', '-03:30', '-02:30'],
    ['Asia/Kathmandu', '+05:45', '+05:45'],
    ['UTC', '+00:00', '+00:00'],
  ] as const) {
    process.env.TZ = name
    for (const [day, offset] of [
      ['2026-12-01', winter],
      ['2026-07-01', summer],
    ] as const) {
      const time = timeOf(day, '08:30')
      t.ok(time)
      if (!time) continue
      t.equal(toRfc3339(time), `${day}T08:30:00${offset}`, name)
      t.same([dayOf(time), clockOf(time)], [day, '08:30'])
      t.equal(Date.parse(toRfc3339(time)), time.getTime())
    }
  }
  t.equal(timeOf('', '08:30'), undefined)
  t.equal(timeOf('2026-12-01', ''), undefined)
})

t.test('a title becomes a file name', async (t) => {
  const hugo = { generator: 'hugo' } as const
  t.equal(fileNameOf('Ein Tag am Meer!', hugo, { kind: 'posts' }), 'content/posts/ein-tag-am-meer.md')
  t.equal(fileNameOf('Ärger, Größe', hugo, { kind: 'default' }), 'content/arger-grosse.md')
  t.equal(fileNameOf('海の日', hugo, { kind: 'default' }), 'content/海の日.md')
  t.equal(fileNameOf('!?', hugo, { kind: 'default' }), 'content/page.md')
  t.equal(fileNameOf(' ', hugo, { kind: 'default' }), '')
  const jekyll = { generator: 'jekyll' } as const
  t.match(fileNameOf('A day', jekyll, { kind: 'post' }), /^_posts\/\d{4}-\d\d-\d\d-a-day\.md$/)
  t.equal(fileNameOf('A day', jekyll, { kind: 'draft' }), '_drafts/a-day.md')
  t.equal(fileNameOf('A day', jekyll, { kind: 'page' }), 'a-day.md')
  t.equal(fileNameOf('A day', jekyll, { kind: 'recipes' }), '_recipes/a-day.md')
  t.equal(fileNameOf('A day', jekyll, { kind: 'draft', folder: 'sub/_drafts' }), 'sub/_drafts/a-day.md')
  t.equal(fileNameOf('A day', hugo, { kind: 'posts', folder: '' }), 'content/a-day.md')
})
