import t from 'tap'
import { splitWords } from './split-words.ts'

t.test('splits and quotes words as a shell does', async (t) => {
  const lines: [string, string[]][] = [
    ['', []],
    ['  \t\n ', []],
    ['ls -l', ['ls', '-l']],
    [' ls\t-l\n', ['ls', '-l']],
    ["echo 'a b' c", ['echo', 'a b', 'c']],
    ['echo "a  b"c\'d\'', ['echo', 'a  bcd']],
    ['echo \'\' ""', ['echo', '', '']],
    ['a\\ b \\"c \\\\', ['a b', '"c', '\\']],
    [`"a\\"b\\\\c\\d\\$e"`, ['a"b\\c\\d$e']],
    ["'a\\'b", ['a\\b']],
    ['a\\\nb "c\\\nd"', ['ab', 'cd']],
    ['żółć 🙂', ['żółć', '🙂']],
  ]
  for (const [line, words] of lines) t.strictSame(splitWords(line), words, line)
})

t.test('operators, patterns and variables are ordinary characters', async (t) => {
  const line = 'ls; id && id | sh $(id) `id` > /tmp/p & $HOME * ~ {a,b} #x'
  t.strictSame(splitWords(line), line.split(' '))
})

t.test('rejects an open quote, a trailing backslash and NUL', async (t) => {
  for (const line of ["'a", '"a', 'a"b', '"a\\"', 'a\\', 'a\0b', "a 'b c"]) {
    t.equal(splitWords(line), undefined, line)
  }
})
