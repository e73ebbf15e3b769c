import fc from 'fast-check'
import t from 'tap'
import { literalPattern } from './literal-pattern.ts'

/** Texts of all characters, many of them with a meaning in expressions. */
const special = fc.string({
  unit: fc.constantFrom(...'-$()*+./?[\\]^{|}:=!<>,&~#@%\'"`;_ \n\u2028\0aAkKuUxXpP1ſß'),
})
const text = fc
  .oneof(special, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
  .map((any) => any.toWellFormed())
const flags = fc.constantFrom('', 'u', 'v', 'i', 'iu', 'iv', 'm', 'su')

t.test('a text that becomes an expression matches itself and nothing else, with all flags', async () => {
  fc.assert(
    fc.property(text, text, flags, (wanted, other, flags) => {
      fc.pre(wanted !== '')
      const exact = new RegExp(`(?<![^])(?:${literalPattern(wanted)})(?![^])`, flags)
      if (!exact.test(wanted)) return false
      return flags.includes('i') || wanted === other || !exact.test(other)
    }),
  )
})

t.test('texts in one expression do not change each other', async () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 3, maxLength: 3 }), flags, (texts, flags) => {
      const [first, second, third] = texts.map(literalPattern)
      return new RegExp(`${first}(${second}|x)${third}`, flags).test(texts.join(''))
    }),
  )
})
