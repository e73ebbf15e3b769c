import administration from '#src/manual/administration.md'
import backup from '#src/manual/backup.md'
import container from '#src/manual/container.md'
import doctor from '#src/manual/doctor.md'
import fileBrowser from '#src/manual/file-browser.md'
import log from '#src/manual/log.md'
import options from '#src/manual/options.md'
import proxy from '#src/manual/proxy.md'
import releases from '#src/manual/releases.md'
import security from '#src/manual/security.md'
import service from '#src/manual/service.md'
import site from '#src/manual/site.md'
import undo from '#src/manual/undo.md'
import using from '#src/manual/using.md'
import { paths } from '#web/shared/paths.ts'

/** A chapter of the manual. */
export interface Chapter {
  /** The name of its file and of its page. */
  readonly id: string
  readonly title: string
  /** The first paragraph: what it is for. */
  readonly summary: string
  /** Markdown. */
  readonly text: string
}

// In the order of the README.
const texts = {
  using,
  undo,
  options,
  service,
  proxy,
  container,
  'file-browser': fileBrowser,
  administration,
  backup,
  doctor,
  log,
  site,
  security,
  releases,
}

/** All chapters, in the order of their list. */
export const chapters: readonly Chapter[] = Object.entries(texts).map(([id, text]) => {
  const [heading = '', summary = ''] = text.split('\n\n')
  return { id, title: heading.replace(/^# /, ''), summary: plainLine(summary), text }
})

/** The titles of all chapters and what they are for, in Markdown. */
export const contents = chapters
  .map(({ id, title, summary }) => `- **[${title}](${id}.md)**\\\n  ${summary}\n`)
  .join('\n')

/** Makes the id of a heading, as most code hosts do: lower case, spaces become dashes, other signs are removed. */
export function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** The text of Markdown without the marks of links, emphasis, code and tables. */
export function plainLine(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])/g, '')
    .replace(/^\s*(?:#+|-|\d+\.|\|)\s+|\s*\|$/g, '')
    .replace(/\s*\|\s*/g, ' · ')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * The page that a link in the chapter `from` leads to, such as `undo.md#trash` or `#trash`, without the base path.
 * Undefined if it is not a link to a chapter.
 */
export function pageOfLink(written: string, from: string): string | undefined {
  const [, name, section = ''] = /^(?:([\w-]+)\.md)?(#[\w-]+)?$/.exec(written) ?? []
  const id = name ?? (section && from)
  return chapters.some((chapter) => chapter.id === id) ? paths.chapter(id) + section : undefined
}
