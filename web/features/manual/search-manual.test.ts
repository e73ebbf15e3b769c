import t from 'tap'
import { type Chapter, chapters, idOf, pageOfLink, plainLine } from './chapters.ts'
import { type Result, searchManual } from './search-manual.ts'

const chapter = (id: string, title: string, text: string): Chapter => ({
  id,
  title,
  summary: '',
  text: `# ${title}\n\n${text}`,
})

const two = [
  chapter(
    'undo',
    'Undo and trash',
    `What was deleted
can be *restored*.

## Trash

Entries stay for **30 days**.

- one item, which goes on
  in the next line
- another item

## Versions

\`\`\`sh
# not a heading: coffer trash list
coffer audit
\`\`\`

| command | what it does |
|---|---|
| \`coffer restore\` | see [Backup](backup.md#restore) |
`,
  ),
  chapter(
    'backup',
    'Backup',
    `${'Many words come before the one that counts. '.repeat(9)}Then trash, and more.`,
  ),
]

const lineOf = ({ line }: Result) => line.map(({ text, isHit }) => (isHit ? `[${text}]` : text)).join('')

const found = (query: string) =>
  searchManual(two, query).map((result) => `${result.chapter.id}#${result.id}: ${lineOf(result)}`)

t.test('finds sections by their heading, their text and the title of their chapter', (t) => {
  t.strictSame(found('DAYS'), ['undo#trash: Entries stay for 30 [days].'])
  t.strictSame(found('which next'), ['undo#trash: one item, [which] goes on in the [next] line'])
  t.strictSame(found('undo restored'), ['undo#: What was deleted can be [restored].'])
  t.strictSame(found('backup.md'), [], 'the target of a link is no text')
  t.strictSame(found('see backup'), ['undo#versions: coffer restore · [see] [Backup]'])
  t.strictSame(found('|---|'), [])
  t.strictSame(found('  '), [])
  t.end()
})

t.test(
  'shows first the sections whose heading has all words, then the others in the order of the manual',
  (t) => {
    t.strictSame(found('trash'), [
      'undo#: What was deleted can be restored.',
      'undo#trash: Entries stay for 30 days.',
      'undo#versions: # not a heading: coffer [trash] list',
      'backup#: … counts. Many words come before the one that counts. Then [trash], and more.',
    ])
    t.end()
  },
)

t.test('a word of a title alone is found once, not in each section', (t) => {
  t.strictSame(found('undo'), ['undo#: What was deleted can be restored.'])
  t.end()
})

t.test('shows the part of a long line around the first word, and marks overlapping words once', (t) => {
  const [line = ''] = found('count counts before')
  t.match(line, 'Many words come [before] the one that [counts].')
  t.ok(line.length < 300, `${line.length} characters`)
  t.end()
})

t.test('searching with signs of regular expressions and Markdown finds nothing else', (t) => {
  for (const query of ['(', '[a', '\\', '.*x', '$&']) t.strictSame(found(query), [], query)
  t.end()
})

t.test(
  'the real chapters have a title, a first paragraph that says what they are for, and unique headings',
  (t) => {
    t.equal(chapters.length, 14)
    for (const { id, title, summary, text } of chapters) {
      t.match(title, /^[A-Z].{3,}/, id)
      t.match(summary, /^[A-Z`].{60,}\.$/, id)
      const headings = [...text.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/^#+ (.*)$/gm)]
      const ids = headings.map(([, heading = '']) => idOf(plainLine(heading)))
      t.equal(new Set(ids).size, ids.length, id)
      // An element of the page has this id: a link to the section would find it first.
      t.notOk(ids.includes('settings') || ids.includes('app'), id)
    }
    t.match(searchManual(chapters, 'fail2ban')[0], { chapter: { id: 'log' } })
    t.match(searchManual(chapters, 'first start')[0], { chapter: { id: 'options' } })
    t.match(
      searchManual(chapters, 'COFFER_PORT').map(({ chapter }) => chapter.id),
      ['options', 'container'],
    )
    t.end()
  },
)

t.test('links between chapters lead to their pages, and all others nowhere', (t) => {
  t.equal(pageOfLink('undo.md', 'log'), '/manual/undo')
  t.equal(pageOfLink('undo.md#trash', 'log'), '/manual/undo#trash')
  t.equal(pageOfLink('#trash', 'undo'), '/manual/undo#trash')
  for (const other of ['', 'gone.md', '../../README.md', 'https://example.org/undo.md', '/undo.md', 'undo'])
    t.equal(pageOfLink(other, 'undo'), undefined, other)
  t.end()
})
