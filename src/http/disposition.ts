/** `Content-Disposition` for a download under `name` (RFC 6266, the name as in RFC 8187). */
export function attachment(name: string): string {
  return `attachment; filename*=utf-8''${encoded(name)}`
}

/** `Content-Disposition` for showing, with the name for whoever saves it then. */
export function inline(name: string): string {
  return `inline; filename*=utf-8''${encoded(name)}`
}

/** RFC 8187 §3.2.1: `encodeURIComponent` leaves four characters alone that are no attr-char. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
