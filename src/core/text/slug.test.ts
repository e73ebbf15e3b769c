import t from 'tap'
import { slugOf } from './slug.ts'

t.test('a title becomes a file name of small letters, digits and hyphens in its own script', async (t) => {
  for (const [title, slug] of [
    ['Ein Tag am Meer!', 'ein-tag-am-meer'],
    ['Größe, Æsop & Øre', 'grosse-aesop-ore'],
    ['Cafe\u0301', 'cafe'],
    ['Привет, мир', 'привет-мир'],
    ['हिन्दी में', 'हिन्दी-में'],
    ['日本語のタイトル', '日本語のタイトル'],
    ['مرحبا بالعالم', 'مرحبا-بالعالم'],
    ['../../etc/passwd', 'etc-passwd'],
    ['🎉 Party 🎉', 'party'],
    ['🎉', 'page'],
    ['…', 'page'],
    ['', 'page'],
  ] as const)
    t.equal(slugOf(title), slug, title)
})

t.test(
  'a slug has at most 120 characters and 200 bytes, and no half character or hyphen at its end',
  async (t) => {
    for (const [title, slug] of [
      ['a'.repeat(300), 'a'.repeat(120)],
      ['я'.repeat(300), 'я'.repeat(100)],
      ['語'.repeat(300), '語'.repeat(66)],
      // Letters outside the basic plane have two halves of a pair and four bytes.
      ['𠮷'.repeat(300), '𠮷'.repeat(50)],
      [`a${'𠮷'.repeat(300)}`, `a${'𠮷'.repeat(49)}`],
      [`${'a'.repeat(119)}𠮷`, 'a'.repeat(119)],
      [`${'a'.repeat(118)}-𠮷`, 'a'.repeat(118)],
      [`${'a'.repeat(119)} b`, 'a'.repeat(119)],
      [`${'a'.repeat(119)}🎉b`, 'a'.repeat(119)],
      [`${'a'.repeat(120)}🎉`, 'a'.repeat(120)],
      [`${'語'.repeat(66)} 🎉 bc`, `${'語'.repeat(66)}-b`],
      [`${'語'.repeat(66)} 🎉 語`, '語'.repeat(66)],
    ] as const) {
      t.equal(slugOf(title), slug)
      t.ok(slugOf(title).isWellFormed())
    }
  },
)
