import t from 'tap'
import { expand } from './expand.ts'

const values = { FILE: '/srv/a b;$(id).txt', USERNAME: 'ann' }

t.test('a name in an argument that is one plain word is replaced by its value, once', async (t) => {
  const file = values.FILE
  for (const [written, read] of [
    ['$FILE', file],
    ['${FILE}', file],
    ['--in=$FILE', `--in=${file}`],
    ['${FILE}.bak', `${file}.bak`],
    ['$USERNAME:$FILE', `ann:${file}`],
    ['$FILES', '$FILES'],
    ['$HOME/x', '$HOME/x'],
    ['$constructor', '$constructor'],
    ['FILE', 'FILE'],
  ] as const) {
    t.equal(expand(written, values), read, written)
  }
})

t.test('a script for an interpreter is left as it is: it finds the values in its environment', async (t) => {
  for (const script of [
    'touch $FILE',
    '"$FILE"',
    "'$FILE'",
    'a;$FILE',
    '$FILE>x',
    '$(cat $FILE)',
    '`$FILE`',
    'x\n$FILE',
    '${FILE',
    '$',
  ]) {
    t.equal(expand(script, values), script, script)
  }
})
