import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

const chapters = globSync('src/manual/*.md').map((file) => file.replaceAll('\\', '/'))

/** The text of a Markdown file without its code. */
const prose = (file: string) =>
  readFileSync(file, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/`[^`\n]*`/g, '`code`')

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

/** The links of a file to other files and headings, with the file and the heading that they name. */
function linksOf(file: string) {
  const links = [...prose(file).matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => link)
  return links
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#')
      return { link, target: path ? join(dirname(file), path).replaceAll('\\', '/') : file, anchor }
    })
}

t.test('no link between the README and the chapters is broken', (t) => {
  const links = ['README.md', ...chapters].flatMap((file) => linksOf(file).map((link) => ({ file, ...link })))
  t.ok(links.length > 25, `${links.length} links`)
  for (const { file, link, target, anchor } of links) {
    t.ok(existsSync(target), `${file} links to ${link}`)
    if (anchor !== undefined) t.ok(anchorsOf(target).includes(anchor), `${file} links to ${link}`)
    // The page knows no files but the chapters.
    t.ok(file === 'README.md' || chapters.includes(target), `${file} links to ${link}`)
  }
  t.end()
})

t.test('the manual has at most 14 chapters, each with a title and a first paragraph', (t) => {
  t.ok(chapters.length <= 14)
  for (const file of chapters) t.match(readFileSync(file, 'utf8'), /^# [A-Z].+\n\n[A-Z`][^\n]{60}/, file)
  t.end()
})
