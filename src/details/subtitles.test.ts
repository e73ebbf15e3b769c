import fc from 'fast-check'
import t from 'tap'
import { toWebVtt } from './subtitles.ts'

const vtt = (text: string) => toWebVtt('a.vtt', Buffer.from(text))
const srt = (cue: string) => toWebVtt('a.srt', Buffer.from(`1\n00:00:01,000 --> 00:00:02,000\n${cue}\n`))
const ass = (cue: string) =>
  toWebVtt(
    'a.ass',
    Buffer.from(`[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,${cue}\n`),
  )
const head = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n'

/** Finds every `<` of a text that starts none of these tags. */
const unknownTags = (tags: string, text: string) => text.match(new RegExp(`<(?!${tags})[^]{0,20}`, 'g')) ?? []
const vttTags = String.raw`/?(b|i|u|c|v|lang|ruby|rt)(\.[^\s&<>.]+)*([ \t][^<>]*)?>|(\d+:)?\d\d:\d\d\.\d{3}>`

// Pieces of hostile files, combined at random.
const shard = fc.constantFrom(
  ...[
    '<',
    '>',
    '</',
    '<b',
    '<b>',
    '</i>',
    '<v',
    '<c.x',
    '<img src=x onerror=y()>',
    '<script>',
    '<!--',
    '-->',
  ],
  ...['&', '&lt;', '{', '}', '{\\b1}', '\\N', '\n', '\r', '\r\n', '\n\n', '00:00:03,000 --> 00:00:04,000'],
  ...[
    '00:03.000 --> 00:04.000',
    'NOTE',
    'NOTE ',
    'STYLE',
    'WEBVTT',
    'Dialogue:',
    ',',
    ' ',
    '.',
    'x',
    '\u2028',
    '\0',
  ],
)
const hostile = fc.oneof(
  fc.array(shard, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string(),
)

t.test('valid WebVTT stays unchanged, byte for byte', async (t) => {
  const files = [
    'WEBVTT',
    'WEBVTT\n',
    '\ufeffWEBVTT - <a film>\r\nKind: captions\r\n\r\n1\r\n00:01.000 --> 00:02.000 line:0\r\n<v Ann>Hi\r\n',
    'WEBVTT\n\nNOTE <todo>\n<i\n\nSTYLE\n::cue(b) { color: red }\n\nREGION\nid:a\n\n00:01.000 --> 00:02.000\n- you\n',
    'WEBVTT\r\r00:01.000 --> 00:02.000\r<b>a</b> <i>b</i> <u>c</u> <c.loud.red>d</c> <c>e</c>\r',
    `${head}<v.first.loud Ann O&#39;Neil>Hi</v> <lang en-GB>colour</lang> <ruby>漢<rt>kan</rt></ruby>\n`,
    `${head}one <00:01.500>two <00:00:01.700>three &lt; four > three & so on`,
    'WEBVTT\n\n00:01.000 --> 00:02.000\n<b>x</b>\n\nNOTE at the end <b',
  ]
  for (const file of files) t.equal(await vtt(file), file)
})

t.test('escapes the `<` of everything that is not a WebVTT tag', async (t) => {
  const cases = {
    '<img src=x onerror=y()>': '&lt;img src=x onerror=y()>',
    '<img\nsrc=x onerror=y()>': '&lt;img\nsrc=x onerror=y()>',
    '<b onclick=z()>bold</b>': '&lt;b onclick=z()>bold</b>',
    '<v <script>': '&lt;v &lt;script>',
    'a < b <3 <': 'a &lt; b &lt;3 &lt;',
    '<c.a.<b>': '&lt;c.a.<b>',
    '<body><iframe><video>': '&lt;body>&lt;iframe>&lt;video>',
  }
  for (const [written, expected] of Object.entries(cases)) t.equal(await vtt(head + written), head + expected)
})

t.test('comments and styles cannot hide a cue with tags', async (t) => {
  const cue = '00:01.000 --> 00:02.000\n<img src=x>\n'
  for (const aside of ['NOTE', 'STYLE', 'REGION', 'NOTE x']) {
    t.notMatch(await vtt(`WEBVTT\n\n${aside}\n${cue}`), '<img')
    t.notMatch(await vtt(`WEBVTT\n\n${aside} ${'x'.repeat(40_000)}--> \n<img src=x>\n`), '<img')
  }
  t.notMatch(await vtt(`WEBVTT\n${cue}`), '<img')
  t.notMatch(await vtt(`${cue}WEBVTT\n<img>`), '<img', 'a file without the WebVTT header is treated as text')
  t.notMatch(await vtt('NOTES\n<img src=x>\n'), '<img')
})

t.test('keeps bold, italic, underline and all words of SubRip and SubStation', async (t) => {
  const cases = {
    '<b>a</b><font color="red">b</font>': '<b>a</b>b',
    '<img src=x onerror=y()>c': 'c',
    'a < b, c <3 <': 'a &lt; b, c &lt;3 &lt;',
    '<<b>img src=x>': '&lt;<b>img src=x>',
    '<scr<x>ipt>': '&lt;script>',
    'A & B &amp; C': 'A &amp; B &amp; C',
    'go --> there --<x>>': 'go → there →',
  }
  for (const [written, expected] of Object.entries(cases)) {
    t.equal(await srt(written), `${head}${expected}\n`)
    t.equal(await ass(written), `${head}${expected}\n`)
  }
  t.equal(await srt('<img\nsrc=x onerror=y()>'), `${head}&lt;img\nsrc=x onerror=y()>\n`)
  t.equal(await ass('{\\an8{\\b1}a {b} {c\\Nd'), `${head}a  {c\nd\n`)
})

t.test('the output contains only subtitle tags, for any input', async (t) => {
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      t.strictSame(
        unknownTags(
          vttTags,
          await vtt(`WEBVTT\n\n00:01.000 --> 00:02.000\nx${text.replaceAll(/[\r\n]+/g, '\n')}`),
        ),
        [],
      )
      for (const one of [await srt(text), await ass(text), await srt(`x\n\n1\n${text}`)])
        t.strictSame(unknownTags('/?[biuBIU]>', one), [])
    }),
  )
})

t.test('unescaping converted WebVTT gives the original file', async (t) => {
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      const once = await vtt(text)
      t.equal(once.replaceAll('&lt;', '<'), text.replaceAll('&lt;', '<'))
      t.equal(await vtt(once), once, 'converting again changes nothing')
    }),
  )
})

t.test('converts every cue of a long file, and other work runs meanwhile', async (t) => {
  const file = Array.from({ length: 30_000 }, (_, n) => `${n}\n00:00:01,0 --> 00:00:02,0\nline ${n}\n`)
  let turns = 0
  let hasEnded = false
  const count = () => {
    turns++
    if (!hasEnded) setImmediate(count)
  }
  setImmediate(count)
  const text = await toWebVtt('a.srt', Buffer.from(file.join('\n')))
  hasEnded = true
  t.equal(text.match(/^line \d+$/gm)?.length, 30_000)
  t.ok(turns > 20, 'other work got many turns')
})
