/** The header `Content-Disposition` for a download as `name` (RFC 6266, the name encoded as in RFC 8187). */
export function attachment(name: string): string {
  return `attachment; filename*=utf-8''${encoded(name)}`
}

/** The header `Content-Disposition` for display in the browser. `name` is used if the user saves the file. */
export function inline(name: string): string {
  return `inline; filename*=utf-8''${encoded(name)}`
}

/** RFC 8187 §3.2.1: `encodeURIComponent` does not encode four characters that are not attr-char. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
