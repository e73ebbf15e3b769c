import { Marked, type Tokens } from 'marked'
import { pageHead } from '#src/server/openapi/head.ts'

/**
 * Renders the README as an HTML page without scripts, in the style of `/api/docs`. Keeps only links inside the page as
 * links, so that a reader never leaves the instance.
 */
export function manualPage(readme: string): string {
  const sections: { id: string; title: string }[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = idOf(text)
        const inner = this.parser.parseInline(tokens)
        if (depth === 2) sections.push({ id, title: inner })
        // The page header already has the title.
        return depth === 1 ? '' : `<h${depth} id="${id}">${inner}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        return href.startsWith('#') ? `<a href="${href}">${inner}</a>` : inner
      },
      // A reader of the manual has the page itself.
      image: () => '',
      // Comments mark generated parts; there is no other HTML in the README.
      html: () => '',
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    },
  })
  const body = String(marked.parse(readme)).replaceAll(
    /<table>[\s\S]*?<\/table>/g,
    (table) => `<div class="scroll" tabindex="0">${table}</div>`,
  )
  const items = sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join('')
  return `${pageHead('Coffer: the manual')}
<body>
<a class="skip" href="#manual">To the manual</a>
<header><h1>Coffer</h1><p>The manual. See also the <a href="../api/docs">API reference</a>.</p></header>
<nav aria-label="Sections"><ul>${items}</ul></nav>
<main id="manual" tabindex="-1">
${body}</main>
</body>
</html>
`
}

/** Makes the anchor of a heading, as most code hosts do: lower case, spaces become dashes, other signs are removed. */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
