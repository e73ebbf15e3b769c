// What is shown of one line: no screen holds more, and nobody reads it in the seconds of a cue.
const mostShown = 2000

/**
 * A line of a SubRip or SubStation cue as WebVTT cue text: bold, italic and underlined stay, other tags go, and whatever
 * else would mean something to a browser is told as the character it is. Takes linear time, whatever stands in it.
 */
export function toCueText(line: string): string {
  return shown(line)
    .replace(/&(?!\w+;)/g, '&amp;')
    .replace(/<(\/?[a-z!?][^<>]*>)?/gi, (tag) =>
      /^<\/?[biu]>$/i.test(tag) ? tag : tag === '<' ? '&lt;' : '',
    )
    .replaceAll('-->', '→')
}

function shown(line: string): string {
  // A pair of surrogates is one character and is not cut in two.
  return line.slice(0, mostShown).replace(/[\ud800-\udbff]$/, '')
}

// No pattern here reads past the next `<`, or a line of nothing else would be read once for each of them.
const classes = String.raw`(?:\.[^\s&<>.]+)*`
const tag = String.raw`\/?(?:b|i|u|c|v|lang|ruby|rt)${classes}>`
const annotated = String.raw`(?:v|lang)${classes}[ \t][^<>]*>`
const time = String.raw`(?:\d{2,9}:)?\d\d:\d\d\.\d{3}>`
const noTag = new RegExp(`<(?!${tag}|${annotated}|${time})`, 'gi')

/**
 * A line of WebVTT as it is, except that a `<` which begins none of its tags and no time (WebVTT §4.2.2) is told as the
 * character. The standard lets the name of a voice hold a `<`; here it may not. Takes linear time.
 */
export function escapeUnknownTags(line: string): string {
  return line.replace(noTag, '&lt;')
}
