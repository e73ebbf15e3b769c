import t from 'tap'
import { detectIndentation } from './indentation.ts'

const cases: [string, string | undefined, string][] = [
  ['a\nb', undefined, 'nothing is indented'],
  ['a\n\tb\n\t\tc\n', '\t', 'tabs'],
  ['a\n  b\n    c\n  d\n', '  ', 'two spaces'],
  ['a:\n    b:\n        c\n', '    ', 'four spaces'],
  ['/*\n * a\n * b\n */\nif (a) {\n  b\n}\n', '  ', 'the star of a comment is no indentation'],
]

for (const [text, expected, name] of cases) {
  t.test(`detects the indentation of a text: ${name}`, async (t) => {
    t.equal(detectIndentation(text), expected)
  })
}
