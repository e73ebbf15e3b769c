import t from 'tap'
import { variants } from '#src/testing/long.ts'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

const notes = `# Plan & more

Some **bold**, *slanted* and ~~gone~~ words, \`code\` &copy;.
A second line[^1], a [link](https://example.org/ "there"), [ours](../a%20b.txt), https://example.com.

1. one
2. two
   - deep

- [x] done
- [ ] open

> quoted

| a | b |
|---|--:|
| 1 | 2 |

![own](a%20b.png) ![strange](https://tracker.example/x.gif)

\`\`\`js
const a = '<b>'
\`\`\`
`

t.test(
  'renders Markdown beside its text, with links, lists, tables and the user’s own pictures',
  async (t) => {
    for (const colorScheme of variants(['light', 'dark'] as const)) {
      const { page } = await start(
        t,
        { docs: { 'notes.md': notes, 'a b.png': picture } },
        { colorScheme, path: '/files/docs/notes.md' },
      )
      const preview = page.getByRole('region', { name: 'Preview of notes.md' })
      await preview.getByRole('heading', { name: 'Plan & more', level: 2 }).waitFor()
      await preview.getByText('words, code ©.').waitFor()
      await preview.getByRole('img', { name: 'own' }).evaluate((one: HTMLImageElement) => one.decode())
      t.equal(await preview.getByRole('link', { name: 'ours' }).getAttribute('href'), '/files/a%20b.txt')
      const links = await preview
        .getByRole('link')
        .evaluateAll((all) =>
          all.map((one) =>
            [one.getAttribute('href'), one.getAttribute('rel'), one.getAttribute('target')].join(' '),
          ),
        )
      t.same(links, [
        'https://example.org/ noopener noreferrer _blank',
        '/files/a%20b.txt noopener noreferrer _blank',
        'https://example.com/ noopener noreferrer _blank',
        'https://tracker.example/x.gif noopener noreferrer _blank',
      ])
      t.equal(await preview.getByRole('img').count(), 1, 'loads no pictures from other sites')
      t.equal(await preview.getByRole('cell').count(), 2)
      t.ok(await preview.getByRole('checkbox', { name: 'done' }).isChecked())
      const boxes = await preview.getByRole('checkbox').evaluateAll((all) =>
        all.map((one) => {
          const { width, height } = one.getBoundingClientRect()
          return [width, height]
        }),
      )
      t.same(
        boxes,
        [
          [16, 16],
          [16, 16],
        ],
        'an open task has a box, too',
      )
      t.equal(await preview.locator('pre').textContent(), "const a = '<b>'")
      t.same(await violations(page), [], colorScheme)
    }
  },
)

t.test('the preview follows typing, and the selected view is remembered', async (t) => {
  const { page } = await start(t, { 'a.md': 'one', 'b.md': 'two' })
  await itemNamed(page, 'a.md').dblclick()
  const area = page.getByRole('textbox', { name: 'a.md' })
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' **more**')
  await page.getByRole('region', { name: 'Preview of a.md' }).locator('strong', { hasText: 'more' }).waitFor()
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  t.notOk(await area.isVisible())
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await itemNamed(page, 'b.md').dblclick()
  await page.getByRole('region', { name: 'Preview of b.md' }).getByText('two').waitFor()
  t.notOk(await page.getByRole('textbox', { name: 'b.md' }).isVisible())
})

const attacks = `<script>document.title='broken'</script>
<img src=x onerror="document.title='broken'">
<svg onload="document.title='broken'"><script>document.title='broken'</script></svg>
<iframe srcdoc="<script>parent.document.title='broken'</script>"></iframe>
<base href="https://evil.example/"><form action="https://evil.example/"><input name="q"><button>Go</button></form>
<div id="app" onclick="document.title='broken'">words of a div</div>
<style>main { display: none }</style>

[a](javascript:document.title='broken') [b](JaVaScRiPt:alert(1)) [c](java\tscript:alert(1)) [d](&#106;avascript:alert(1))
[e](data:text/html,<script>alert(1)</script>) [f](vbscript:x) [g](<javascript:alert(1)>) [h](\x01javascript:alert(1))
[i](//evil.example/x) [j](blob:https://evil.example/x) [k](file:///etc/passwd) <javascript:alert(1)>
![l](javascript:document.title='broken') ![m](data:image/svg+xml,<svg onload="alert(1)"/>) ![n](x" onerror="alert(1))

inline <b onmouseover="alert(1)">text</b> <img src=x onerror=alert(1)> <a href="javascript:alert(1)">z</a>

${'> '.repeat(200)}deep

${'['.repeat(2000)}x${']('.repeat(2000)}
`

t.test('hostile Markdown is shown as text only', async (t) => {
  const { page } = await start(t, { 'evil.md': attacks })
  const policyErrors: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) policyErrors.push(message.text())
  })
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await itemNamed(page, 'evil.md').dblclick()
  const preview = page.getByRole('region', { name: 'Preview of evil.md' })
  await preview.getByText('words of a div').waitFor()
  const own = await preview.evaluate((section) => ({
    elements: section.querySelectorAll('script, iframe, svg, base, form, input, button, style, object, [id]')
      .length,
    handlers: [...section.querySelectorAll('*')].filter((one) =>
      one.getAttributeNames().some((name) => name.startsWith('on')),
    ).length,
    links: [...section.querySelectorAll('a')].map((link) => link.protocol),
  }))
  t.match(own, { elements: 0, handlers: 0 })
  t.same(
    own.links.filter((protocol) => !/^https?:$/.test(protocol)),
    [],
  )
  for (const link of await preview.getByRole('link').all())
    t.match(await link.getAttribute('rel'), /noopener/)
  t.equal(await page.title(), 'evil.md – Coffer')
  t.same(policyErrors, [], 'nothing tried to break the content security policy')
  t.same(
    requested.filter((url) => /evil|^data|^javascript/.test(new URL(url).host)),
    [],
  )
})
