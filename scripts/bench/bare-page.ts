import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'

/** The least that a page of React does: it fetches the listing, and draws the names that fit into a window. */
const script = `
  import { createElement as h } from 'react'
  import { createRoot } from 'react-dom/client'
  const names = (await (await fetch('/listing')).json()).items.slice(0, 20).map(({ name }) => name)
  createRoot(document.getElementById('app')).render(names.map((name, n) => h('p', { key: n, 'data-index': n }, name)))
`

/**
 * Serves a page of React alone that shows the first names of a folder.
 *
 * @param list fetches the JSON of the folder, at each request
 */
export async function serveBarePage(
  list: () => Promise<string>,
): Promise<{ address: string; close(): void }> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: process.cwd() },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files: Record<string, [type: string, body: string]> = {
    '/': ['text/html', '<!doctype html><div id="app"></div><script type="module" src="/main.js"></script>'],
    '/main.js': ['text/javascript', outputFiles[0]?.text ?? ''],
  }
  const server = createServer(async ({ url = '' }, response) => {
    const [type, body] =
      url === '/listing' ? ['application/json', await list()] : (files[url] ?? ['text/plain', ''])
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
