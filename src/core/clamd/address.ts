/** Where a scanner listens: a Unix socket, or a host and a port. */
export type ClamdAddress = { readonly path: string } | { readonly host: string; readonly port: number }

/**
 * Reads the address of a scanner: `unix:/path`, `/path`, `host:port` or `[::1]:3310`. Undefined: it is none of these.
 */
export function parseClamdAddress(text: string): ClamdAddress | undefined {
  const path = text.startsWith('unix:') ? text.slice('unix:'.length) : text
  if (path.startsWith('/')) return path === '/' || path.includes('\0') ? undefined : { path }
  if (text.startsWith('unix:')) return undefined
  const [, inBrackets, name, digits = ''] = /^(?:\[([\da-f:.%\w]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = inBrackets ?? name
  const port = Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}
