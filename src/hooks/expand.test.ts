import t from 'tap'
import { expandWords } from './expand.ts'

const values = {
  FILE: '/srv/a b;$(id).txt',
  DESTINATION: '/srv',
  SCOPE: '/ann',
  TRIGGER: 'after_upload',
  USERNAME: 'ann',
}

/** The arguments that the program `tool` receives; a string is the reason of a refusal. */
function argumentsOf(args: readonly string[], changed: Partial<typeof values> = {}, program = 'tool') {
  const expanded = expandWords([program, ...args], { ...values, ...changed })
  return 'refused' in expanded ? expanded.refused : expanded.words.slice(1)
}

t.test('replaces a variable in a plain word by its value, once', async (t) => {
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
    t.strictSame(argumentsOf([written]), [read], written)
  }
  t.strictSame(
    expandWords(['$FILE', '$FILE'], values),
    { words: ['$FILE', file] },
    'the program itself is not replaced',
  )
})

t.test('leaves a script for an interpreter unchanged', async (t) => {
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
    t.strictSame(argumentsOf([script]), [script], script)
  }
})

t.test(
  'never inserts a value into code of a shell or another interpreter, even if the code is one word',
  async (t) => {
    const file = values.FILE
    for (const [line, read] of [
      ['sh -c $FILE', ['-c', '$FILE']],
      ['/bin/bash -ec $USERNAME $FILE', ['-ec', '$USERNAME', file]],
      ['bash -c -x $FILE x $FILE', ['-c', '-x', '$FILE', 'x', file]],
      ['env -i sh -c $FILE', ['-i', 'sh', '-c', '$FILE']],
      ['nice -n 5 busybox sh -c $FILE', ['-n', '5', 'busybox', 'sh', '-c', '$FILE']],
      ['python3.12 -c $FILE $FILE', ['-c', '$FILE', file]],
      ['perl -ne $FILE', ['-ne', '$FILE']],
      ['node --eval $FILE', ['--eval', '$FILE']],
      ['C:\\Windows\\System32\\cmd.exe /C echo $FILE $FILE', ['/C', 'echo', '$FILE', '$FILE']],
      ['pwsh -Command echo $FILE', ['-Command', 'echo', '$FILE']],
      ['sh $FILE', [file]],
      ['wc -c $FILE', ['-c', file]],
      ['grep -e $USERNAME $FILE', ['-e', 'ann', file]],
    ] as const) {
      const [program = '', ...args] = line.split(' ')
      t.strictSame(argumentsOf(args, {}, program), read, line)
    }
  },
)

t.test('G05: no value becomes an option of a program, at any position', async (t) => {
  const name = '-rf'
  const refused = /^the program would read the value of \$USERNAME as an option; put the argument -- before/
  const table: [args: string[], read: string[] | RegExp][] = [
    [['$USERNAME'], refused],
    [['${USERNAME}'], refused],
    [['$USERNAME.txt'], refused],
    [['$USERNAME=$FILE'], refused],
    [['a', '$USERNAME'], refused],
    [['-x', '$USERNAME'], refused],
    [['-$USERNAME'], refused],
    [['--$USERNAME'], refused],
    [['--$USERNAME=$FILE'], refused],
    [['$NOTHING$USERNAME'], ['$NOTHING-rf']],
    [['$USERNAME$FILE'], refused],
    [['$FILE$USERNAME'], [`${values.FILE}-rf`]],
    [['user:$USERNAME'], ['user:-rf']],
    [['--name=$USERNAME'], ['--name=-rf']],
    [['-n$USERNAME'], ['-n-rf']],
    [
      ['--', '$USERNAME'],
      ['--', '-rf'],
    ],
    [
      ['-x', '--', 'a', '${USERNAME}', '-$USERNAME'],
      ['-x', '--', 'a', '-rf', '--rf'],
    ],
    [['$USERNAME', '--'], refused],
    [['---', '$USERNAME'], refused],
    [['x--', '$USERNAME'], refused],
    [['echo $USERNAME'], ['echo $USERNAME']],
  ]
  for (const [args, read] of table) {
    const reached = argumentsOf(args, { USERNAME: name })
    if (read instanceof RegExp) t.match(reached, read, args.join(' '))
    else t.strictSame(reached, read, args.join(' '))
  }
  t.match(argumentsOf(['$USERNAME'], { USERNAME: '-' }), refused, 'a single dash often means standard input')
  t.match(argumentsOf(['$USERNAME'], { USERNAME: '--' }), refused)
  t.match(
    argumentsOf(['$USERNAME', '$FILE'], { USERNAME: '--' }),
    refused,
    'a value does not end the options',
  )
})

t.test('G05: a program receives a path that begins with a dash as a path', async (t) => {
  for (const name of ['FILE', 'DESTINATION', 'SCOPE'] as const) {
    const is = { [name]: '-rf' }
    t.strictSame(argumentsOf([`$${name}`], is), ['./-rf'], name)
    t.strictSame(argumentsOf([`\${${name}}.bak`], is), ['./-rf.bak'], name)
    t.strictSame(argumentsOf(['--', `$${name}`], is), ['--', '-rf'], name)
    t.strictSame(argumentsOf([`--in=$${name}`], is), ['--in=-rf'], name)
    t.match(
      argumentsOf([`-$${name}`], is),
      new RegExp(`the program would read the value of \\$${name} as an option`),
      name,
    )
  }
  t.strictSame(
    argumentsOf(['$SCOPE$FILE'], { SCOPE: '', FILE: '-rf' }),
    ['./-rf'],
    'an empty value is skipped',
  )
  t.match(argumentsOf(['$SCOPE$USERNAME'], { SCOPE: '', USERNAME: '-rf' }), /the value of \$USERNAME/)
  t.strictSame(
    argumentsOf(['--$TRIGGER', '$TRIGGER']),
    ['--after_upload', 'after_upload'],
    'users cannot choose the trigger',
  )
})
