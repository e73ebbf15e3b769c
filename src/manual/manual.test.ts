import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

const chapters = globSync('src/manual/*.md').map((file) => file.replaceAll('\\', '/'))

/** The text of a Markdown file without its code. */
const prose = (file: string) =>
  readFileSync(file, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '`code`')

/** The ids that code hosts and the page give to the headings of a file. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

t.test('the README is short, and its table lists every chapter of the manual once', (t) => {
  const readme = readFileSync('README.md', 'utf8')
  const words = readme.split(/\s+/).filter(Boolean).length
  t.ok(words <= 1500, `${words} words`)
  const rows = [...readme.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \|/gm)]
  t.strictSame(rows.map(([, , file]) => file).sort(), chapters.sort())
  for (const [, title = '', file = ''] of rows)
    t.equal(readFileSync(file, 'utf8').split('\n')[0], `# ${title}`, file)
  t.end()
})

t.test('no link between the README and the chapters is broken', (t) => {
  let checked = 0
  for (const file of ['README.md', ...chapters])
    for (const [, link = ''] of prose(file).matchAll(/\]\(([^)]*)\)/g)) {
      if (/^https?:/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = path ? join(dirname(file), path) : file
      t.ok(globSync(target).length === 1, `${file} links to ${link}`)
      if (anchor !== undefined) t.ok(anchorsOf(target).includes(anchor), `${file} links to ${link}`)
      // The page knows no files but the chapters.
      if (file !== 'README.md') t.ok(chapters.includes(target), `${file} links to ${link}`)
      checked++
    }
  t.ok(checked > 25, `${checked} links`)
  t.end()
})

t.test('the manual has at most 14 chapters, each with a title and a first paragraph', (t) => {
  t.ok(chapters.length <= 14)
  for (const file of chapters) t.match(readFileSync(file, 'utf8'), /^# [A-Z].+\n\n[A-Z`][^\n]{60}/, file)
  t.end()
})
