import t from 'tap'
import { Problem } from '#src/core/problem.ts'
import { changeFrontMatter, draftMarks } from './front-matter.ts'

const yaml = `---
# about this post
title: "A day: at the sea" # the title
date: 2026-11-01T08:30:00+01:00
draft: true # not yet
tags:
  - sea
  - 'summer days'
weight: 3
empty:
params:
  deep: 1
long: |
  two
  lines
---

The text.
`

const toml = `+++
# about this post
title = 'A day' # the title
date = 2026-11-01T08:30:00+01:00
draft = true
tags = [
  "sea", # one
  "summer"
]
text = """
draft = true
"""
[params]
deep = 1
+++
The text.
`

const json =
  '{\n  "title": "A {day}",\n  "draft": true,\n  "tags": ["sea"],\n  "params": {"deep": 1}\n}\n\nThe text.\n'

const readFrontMatter = (text: string) => changeFrontMatter(text, []).view
const publishedText = (text: string) => changeFrontMatter(text, draftMarks(readFrontMatter(text).fields)).text

t.test('shows the fields of front matter in YAML, TOML and JSON', async (t) => {
  const fields = (text: string) =>
    readFrontMatter(text).fields.map(({ name, kind, value }) => [name, kind, value])
  t.strictSame(fields(yaml), [
    ['title', 'text', 'A day: at the sea'],
    ['date', 'date', '2026-11-01T08:30:00+01:00'],
    ['draft', 'boolean', true],
    ['tags', 'list', ['sea', 'summer days']],
    ['weight', 'number', 3],
    ['empty', 'text', ''],
    ['params', 'other', 'deep: 1'],
    ['long', 'text', 'two\nlines\n'],
  ])
  t.strictSame(fields(toml), [
    ['title', 'text', 'A day'],
    ['date', 'date', '2026-11-01T08:30:00+01:00'],
    ['draft', 'boolean', true],
    ['tags', 'list', ['sea', 'summer']],
    ['text', 'text', 'draft = true\n'],
    ['params', 'other', '[params]\ndeep = 1'],
  ])
  t.strictSame(fields(json), [
    ['title', 'text', 'A {day}'],
    ['draft', 'boolean', true],
    ['tags', 'list', ['sea']],
    ['params', 'other', '{"deep": 1}'],
  ])
  for (const text of [yaml, toml, json])
    t.match(text.slice(readFrontMatter(text).bodyStart), /^\n?The text\.\n$/)
  t.same(readFrontMatter('No front matter.\n---\na: 1\n---\n'), { format: '', fields: [], bodyStart: 0 })
})

t.test('publishing changes only the mark of the draft, byte by byte', async (t) => {
  for (const [text, mark, published] of [
    [yaml, 'draft: true #', 'draft: false #'],
    [toml, 'draft = true\ntags', 'draft = false\ntags'],
    [json, '"draft": true', '"draft": false'],
    ['---\npublished: false\n---\n', 'published: false', 'published: true'],
  ] as const) {
    t.equal(publishedText(text), text.replace(mark, published))
    const windows = text.replaceAll('\n', '\r\n')
    const inWindows = windows.replace(mark.replaceAll('\n', '\r\n'), published.replaceAll('\n', '\r\n'))
    t.equal(publishedText(windows), inWindows, 'with CRLF')
    t.equal(publishedText(`\ufeff${windows}`), `\ufeff${inWindows}`, 'with a byte order mark')
    t.equal(publishedText(publishedText(text)), publishedText(text), 'a second time changes nothing')
  }
  for (const text of ['', 'draft: true', '{{< fig >}}', '{% x %}', '---\n---\n'])
    t.equal(publishedText(text), text, JSON.stringify(text))
})

t.test('changes one field and keeps its style, comments and order', async (t) => {
  const change = (
    text: string,
    name: string,
    value: string | number | boolean | string[] | null,
    isDate = false,
  ) => changeFrontMatter(text, [{ name, value, isDate }]).text
  t.equal(change(yaml, 'title', 'It "is"'), yaml.replace('"A day: at the sea"', '"It \\"is\\""'))
  t.equal(change(yaml, 'tags', ['a', 'b: c']), yaml.replace("- sea\n  - 'summer days'", '- a\n  - "b: c"'))
  t.equal(change(yaml, 'weight', 12), yaml.replace('weight: 3', 'weight: 12'))
  t.equal(change(yaml, 'empty', 'full'), yaml.replace('empty:', 'empty: full'))
  t.equal(change(yaml, 'date', '2027-01-02', true), yaml.replace('2026-11-01T08:30:00+01:00', '2027-01-02'))
  t.equal(change(yaml, 'weight', null), yaml.replace('weight: 3\n', ''))
  t.equal(change(yaml, 'author', 'Ann'), yaml.replace('  lines\n---', '  lines\nauthor: Ann\n---'))
  t.equal(change(toml, 'title', "It's"), toml.replace("'A day'", '"It\'s"'))
  t.equal(change(toml, 'tags', ['a']), toml.replace('[\n  "sea", # one\n  "summer"\n]', '["a"]'))
  t.equal(change(toml, 'author', 'Ann'), toml.replace('[params]', 'author = "Ann"\n[params]'))
  t.equal(change(toml, 'tags', null), toml.replace('tags = [\n  "sea", # one\n  "summer"\n]\n', ''))
  t.equal(change(json, 'title', 'B'), json.replace('"A {day}"', '"B"'))
  t.equal(change(json, 'tags', null), json.replace('"tags": ["sea"],\n  ', ''))
  t.equal(change(json, 'author', 'Ann'), json.replace('{"deep": 1}', '{"deep": 1},\n  "author": "Ann"'))
  t.equal(
    change('Text.\n', 'title', 'A'),
    '---\ntitle: A\n---\nText.\n',
    'a text without front matter gets some',
  )
})

t.test('every value of a field is read back as it was written', async (t) => {
  const values = [
    '',
    ' a ',
    'true',
    '12',
    '~',
    'a: b',
    '- a',
    '# no',
    "it's",
    '"',
    'x\ny',
    '[a',
    '{',
    '2026-01-01',
    'é\u2028',
    '---',
  ]
  for (const text of [yaml, toml, json]) {
    for (const value of [...values, 7, -1.5, true, false, [], ['a, b', ']', '1']]) {
      for (const name of ['title', 'tags', 'new one']) {
        const next = changeFrontMatter(text, [{ name, value }]).text
        const field = readFrontMatter(next).fields.find((one) => one.name === name)
        t.strictSame(field?.value, value, `${name}: ${encodeURI(String(value))}`)
        t.ok(next.endsWith('The text.\n'))
      }
    }
  }
})

t.test('refuses front matter that cannot be read, and values that only the text can change', async (t) => {
  const refused = (work: () => unknown) => {
    try {
      work()
      return 'nothing'
    } catch (error) {
      return error instanceof Problem ? error.code : error
    }
  }
  for (const text of [
    '---\na: [1\n---\n',
    '---\n- a\n---\n',
    '---\na: 1\na: 2\n---\n',
    `---\na: ${'['.repeat(20_000)}\n---\n`,
    '---\na: &a [x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d,*d]\n---\n',
    '+++\na = \n+++\n',
    `+++\na${'.a'.repeat(2000)} = 1\n+++\n`,
    '+++\na = 1\na = 2\n+++\n',
    '{"a": }',
  ]) {
    t.equal(
      refused(() => readFrontMatter(text)),
      'frontmatter.invalid',
      text.slice(0, 30),
    )
    t.equal(
      refused(() => publishedText(text)),
      'frontmatter.invalid',
      text.slice(0, 30),
    )
  }
  t.equal(
    refused(() => changeFrontMatter(yaml, [{ name: 'params', value: 'x' }])),
    'frontmatter.invalid',
  )
  t.equal(
    refused(() => changeFrontMatter(toml, [{ name: 'params', value: 'x' }])),
    'frontmatter.invalid',
  )
  for (const text of ['---\nno end', '{"a": 1', `---\n${'a'.repeat(70_000)}: 1\n---\n`]) {
    t.equal(
      refused(() => readFrontMatter(text)),
      'frontmatter.invalid',
      text.slice(0, 30),
    )
    t.equal(
      refused(() => changeFrontMatter(text, [{ name: 'a', value: 1 }])),
      'frontmatter.invalid',
    )
  }
})

t.test('reads every draft mark that the generators read', async (t) => {
  for (const mark of ['draft: yes', 'Draft: true', 'draft: "true"', 'draft: on', 'published: no']) {
    const text = `---\ntitle: A\n${mark}\n---\n`
    t.not(publishedText(text), text, mark)
    t.equal(publishedText(publishedText(text)), publishedText(text), mark)
  }
  t.equal(publishedText('\n\n---\ndraft: true\n---\n'), '\n\n---\ndraft: false\n---\n', 'after empty lines')
})

t.test('several fields change in one step, also when fields beside them are removed or added', async (t) => {
  const many = (text: string, changes: Record<string, string | number | null>) =>
    changeFrontMatter(
      text,
      Object.entries(changes).map(([name, value]) => ({ name, value })),
    ).text
  const object = (...lines: string[]) => `{\n  ${lines.join(',\n  ')}\n}\ntext\n`
  const [a, b, c, d] = ['"a": 1', '"b": 2', '"c": 3', '"d": 4'] as const
  const all = object(a, b, c)
  t.equal(many(all, { a: null, b: null }), object(c))
  t.equal(many(all, { b: null, c: null }), object(a))
  t.equal(many(all, { a: null, c: null }), object(b))
  t.equal(many(all, { a: null, c: null, d: 4 }), object(b, d))
  t.equal(many(all, { b: null, c: null, d: 4, a: 7 }), object('"a": 7', d))
  t.match(readFrontMatter(many(all, { a: null, b: null, c: null, d: 4 })).fields, [{ name: 'd', value: 4 }])
  t.strictSame(readFrontMatter(many(all, { a: null, b: null, c: null })).fields, [])
  t.equal(
    many(yaml, { title: null, weight: null, author: 'Ann', year: 1 }),
    yaml
      .replace('title: "A day: at the sea" # the title\n', '')
      .replace('weight: 3\n', '')
      .replace('  lines\n---', '  lines\nauthor: Ann\nyear: 1\n---'),
  )
  t.equal(
    many(toml, { title: null, draft: null, author: 'Ann', year: 1 }),
    toml
      .replace("title = 'A day' # the title\n", '')
      .replace('draft = true\ntags', 'tags')
      .replace('[params]', 'author = "Ann"\nyear = 1\n[params]'),
  )
  t.equal(
    changeFrontMatter(json, [
      { name: 'title', value: 'first' },
      { name: 'title', value: 'last' },
    ]).text,
    json.replace('A {day}', 'last'),
    'the last change of a field counts',
  )
  t.throws(() => many('---\n{a: 1, b: 2}\n---\n', { a: null, b: null }), { code: 'frontmatter.invalid' })
})
