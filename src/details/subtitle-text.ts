// Longer lines are truncated: no screen shows more characters, and no reader can read more during a cue.
const maxLineLength = 2000

/**
 * Converts a line of a SubRip or SubStation cue to WebVTT cue text. Keeps bold, italic and underline, removes other
 * tags, and escapes all characters that are special in WebVTT. Takes linear time for any input.
 */
export function toCueText(line: string): string {
  return truncated(line)
    .replace(/&(?!\w+;)/g, '&amp;')
    .replace(/<(\/?[a-z!?][^<>]*>)?/gi, (tag) =>
      /^<\/?[biu]>$/i.test(tag) ? tag : tag === '<' ? '&lt;' : '',
    )
    .replaceAll('-->', '→')
}

function truncated(line: string): string {
  // Do not split a surrogate pair, which is one character.
  return line.slice(0, maxLineLength).replace(/[\ud800-\udbff]$/, '')
}

// Each pattern stops at the next `<`. Otherwise a line of many `<` would be scanned once for each of them.
const classes = String.raw`(?:\.[^\s&<>.]+)*`
const tag = String.raw`\/?(?:b|i|u|c|v|lang|ruby|rt)${classes}>`
const annotated = String.raw`(?:v|lang)${classes}[ \t][^<>]*>`
const time = String.raw`(?:\d{2,9}:)?\d\d:\d\d\.\d{3}>`
const noTag = new RegExp(`<(?!${tag}|${annotated}|${time})`, 'gi')

/**
 * Escapes each `<` in a line of WebVTT that starts no WebVTT tag and no timestamp (WebVTT §4.2.2). The standard
 * allows a `<` in the name of a voice; this function does not. Takes linear time.
 */
export function escapeUnknownTags(line: string): string {
  return line.replace(noTag, '&lt;')
}
