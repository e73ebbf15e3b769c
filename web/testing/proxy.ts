import type { Test } from 'tap'
import { freePort, startNginx as start } from '#src/testing/proxies.ts'

/**
 * Starts a real nginx in front of the server at `url`. Returns its address; undefined if nginx is not installed.
 *
 * @param limit a line of its configuration that limits request bodies; empty: nginx's default of 1 MiB
 * @param location more lines for the location of the server
 */
export async function startNginx(
  t: Test,
  url: string,
  limit = '',
  location = '',
): Promise<string | undefined> {
  const port = await freePort()
  const proxy = `proxy_pass ${new URL(url).origin}; proxy_set_header Host $http_host; ${location}`
  return start(t, `${limit} server { listen 127.0.0.1:${port}; location / { ${proxy} } }`, port)
}
