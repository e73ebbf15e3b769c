import t from 'tap'
import { decodeText, encodeText } from './line-endings.ts'

const texts = {
  'no line end': ['a', '\n'],
  nothing: ['', '\n'],
  Unix: ['a\nb\n', '\n'],
  Windows: ['a\r\nb\r\n', '\r\n'],
  'old Macs': ['a\rb\r', '\r'],
  mixed: ['a\r\nb\nc\rd\r\n', 'mixed'],
  'a mark and Windows': ['\uFEFFa\r\n\r\nb', '\r\n'],
  'two marks': ['\uFEFF\uFEFFa', '\n'],
} as const

for (const [name, [content, lineEnd]] of Object.entries(texts)) {
  t.test(`decoding and encoding a text keeps every byte: ${name}`, async (t) => {
    const { lines, format } = decodeText(content)
    t.equal(format.lineEnding, lineEnd)
    t.equal(encodeText(lines, format), content)
    t.notMatch(lines.join(''), lineEnd === 'mixed' ? /\n/ : /[\r\n]/)
  })
}
