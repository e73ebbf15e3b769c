import { escapeHtml as text } from '#src/core/text/escape-html.ts'
import type { OpenApi } from './document.ts'
import { pageHead } from './head.ts'
import { contentText, typeText } from './schema-text.ts'
import type { ApiResponse, Operation, Parameter } from './shapes.ts'

/**
 * Renders the document as an HTML page: no script, one style from the web build, nothing from other sites. The script of
 * `swagger-ui-dist` 5.35 has 458 KB (gzip), four times the first load of Coffer, and its package depends on
 * `@scarf/scarf`, which reports installations.
 */
export function docsPage(document: OpenApi): string {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      ...operation,
    })),
  )
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    calls: calls.filter(({ tags }) => tags.includes(name)),
  }))
  return `${pageHead('Coffer: API reference', '../static/')}
<body>
<a class="skip" href="#calls">Skip to the endpoints</a>
<header><h1>API reference</h1>
<p>Coffer ${text(document.info.version)}. Machine-readable: <a href="openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p></header>
<nav aria-label="Endpoints">${groups.map(({ name, calls }) => navigation(name, calls)).join('')}
<h2><a href="#shapes">Schemas</a></h2></nav>
<main id="calls" tabindex="-1">
<section aria-label="Introduction">${prose(document.info.description)}<pre tabindex="0" aria-label="Sign-in example">${text(signInExample)}</pre></section>
${groups.map((group) => section(group)).join('\n')}
${shapes(document.components.schemas)}
</main>
</body>
</html>
`
}

const signInExample = `COFFER=https://files.example.com
TOKEN=$(curl -sf "$COFFER/api/login" --data '{"username":"ann","password":"…"}')`

interface Call extends Operation {
  method: string
  path: string
}

function navigation(name: string, calls: readonly Call[]): string {
  const items = calls.map(
    ({ operationId, method, path }) =>
      `<li><a href="#${operationId}"><b class="${method.toLowerCase()}">${method}</b> ${wrappable(path)}</a></li>`,
  )
  return `<h2><a href="#${idOf(name)}">${text(name)}</a></h2><ul>${items.join('')}</ul>`
}

function section({
  name,
  description,
  calls,
}: {
  name: string
  description: string
  calls: readonly Call[]
}) {
  return `<section id="${idOf(name)}" aria-labelledby="${idOf(name)}-title">
<h2 id="${idOf(name)}-title">${text(name)}</h2>${prose(description)}
${calls.map(article).join('\n')}</section>`
}

function article(call: Call): string {
  const {
    method,
    path,
    operationId,
    summary,
    description = '',
    security,
    parameters = [],
    requestBody,
  } = call
  const access = security.length === 0 ? ' <span class="public">public</span>' : ''
  return `<article id="${operationId}">
<h3><b class="${method.toLowerCase()}">${method}</b> <code>${wrappable(path)}</code>${access}</h3>
${prose(summary)}${prose(description)}
<details><summary>Request and response<span class="quiet"> (${operationId})</span></summary>
${parameters.length > 0 ? `<h4>Parameters</h4>${parameterTable(parameters)}` : ''}
${requestBody ? `<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${contentText(requestBody.content)}` : ''}
<h4>Responses</h4>${responseList(call.responses, (status) => status < '4')}
<h4>Errors</h4>${responseList(call.responses, (status) => status >= '4' && status !== 'default')}
<h4>Example</h4><pre tabindex="0" aria-label="Example of ${method} ${text(path)}">${text(curl(call))}</pre>
</details>
</article>`
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => {
    const requirement = required && place !== 'path' ? ', required' : ''
    return `<tr><th scope="row"><code>${text(name)}</code></th><td>${place}${requirement}</td><td>${typeText(schema)}</td><td>${inline(description)}</td></tr>`
  })
  return `<div class="scroll"><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function responseList(
  responses: Readonly<Record<string, ApiResponse>>,
  isIncluded: (status: string) => boolean,
): string {
  const items = Object.entries(responses).filter(([status]) => isIncluded(status))
  if (items.length === 0) return '<p>None.</p>'
  const lines = items.map(([status, { description, headers = {}, content }]) => {
    const names = Object.keys(headers).map((name) => `<code>${text(name)}</code>`)
    const headerNames = names.length > 0 ? ` <span class="quiet">Headers: ${names.join(', ')}</span>` : ''
    const shown = content && status < '4' ? contentText(content) : ''
    return `<dt><b>${status}</b></dt><dd>${prose(description)}${headerNames}${shown}</dd>`
  })
  return `<dl>${lines.join('')}</dl>`
}

function shapes(schemas: OpenApi['components']['schemas']): string {
  const each = Object.entries(schemas).map(
    ([name, schema]) =>
      `<article id="shape-${name}"><h3>${name}</h3><details><summary>Fields<span class="quiet"> of ${name}</span></summary>${typeText(schema)}</details></article>`,
  )
  return `<section id="shapes" aria-labelledby="shapes-title"><h2 id="shapes-title">Schemas</h2>${each.join('')}</section>`
}

/** The command that sends the request from a command line. */
export function curl({ method, path, security, parameters = [], requestBody }: Call): string {
  const sample = (place: string) => parameters.filter((one) => one.in === place && one.example !== undefined)
  const query = new URLSearchParams(sample('query').map(({ name, example }) => [name, String(example)]))
  const filled = sample('path').reduce(
    (so, { name, example }) => so.replace(`{${name}}`, String(example)),
    path,
  )
  const body = requestBody?.content['application/json']?.example
  const isBytes = requestBody?.content['application/octet-stream'] !== undefined
  const isForm = requestBody?.content['multipart/form-data'] !== undefined
  return [
    'curl',
    method !== 'GET' && !(method === 'POST' && (body || isBytes || isForm)) && `-X ${method}`,
    security.length > 0 && '-H "X-Auth: $TOKEN"',
    body !== undefined && `--data '${JSON.stringify(body)}'`,
    isBytes && '--data-binary @report.txt',
    isForm && '-F file=@report.txt -F file=@notes.txt',
    `"$COFFER${filled}${query.size > 0 ? `?${query}` : ''}"`,
  ]
    .filter(Boolean)
    .join(' ')
}

function idOf(tag: string): string {
  return `tag-${tag.toLowerCase()}`
}

/** Converts paragraphs and lists of the Markdown in descriptions to HTML. */
function prose(words: string): string {
  const blocks = words.split('\n\n').filter(Boolean)
  return blocks
    .map((block) =>
      block.startsWith('- ')
        ? `<ul>${block
            .split('\n')
            .map((line) => `<li>${inline(line.slice(2))}</li>`)
            .join('')}</ul>`
        : `<p>${inline(block)}</p>`,
    )
    .join('')
}

function inline(words: string): string {
  return text(words).replace(/`([^`]+)`/g, '<code>$1</code>')
}

/** A path that may wrap after its slashes. */
function wrappable(path: string): string {
  return text(path).replaceAll('/', '/<wbr>')
}
