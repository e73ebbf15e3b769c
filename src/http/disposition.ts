/** The header `Content-Disposition` for a download as `name` (RFC 6266, the name encoded as in RFC 8187). */
export function attachment(name: string): string {
  return `attachment; ${names(name)}`
}

/** The header `Content-Disposition` for display in the browser. `name` is used if the user saves the file. */
export function inline(name: string): string {
  return `inline; ${names(name)}`
}

/** RFC 6266 §4.3: clients that know `filename*` prefer it. Programs that do not know it get the first one. */
function names(name: string): string {
  return `filename="${ascii(name)}"; filename*=utf-8''${encoded(name)}`
}

/**
 * The name in ASCII. Letters lose their accents. `_` stands for other characters, and for those that clients read in
 * different ways (RFC 6266, appendix D).
 */
function ascii(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/[^ -~]|["\\%/]/gu, '_')
}

/** RFC 8187 §3.2.1: `encodeURIComponent` does not encode four characters that are not attr-char. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
