import fc from 'fast-check'
import t from 'tap'
import { redactLines } from './log-lines.ts'
import { createRedactor } from './redactor.ts'

const known = {
  user: ['anna', 'Jean Dupont', 'o.connor', 'ünal'],
  path: ['/srv/private files', '/home/anna'],
  host: ['nas-berlin'],
  share: ['hK3xQ9mWbT7fLrZ2vN5pYA'],
  secret: ['c2lnbmluZy1rZXktb2YtdGhlLXNlcnZlcg=='],
}

t.test('replaces known values in every spelling, each by the same placeholder', async (t) => {
  const redactor = createRedactor(known)
  t.equal(redactor.known('anna and ANNA and Jean Dupont'), 'user1 and user1 and user2')
  t.equal(redactor.known('annabel, johanna'), 'annabel, johanna', 'parts of other words stay')
  t.equal(
    redactor.known('%C3%BCnal u\u0308nal'),
    'user3 user3',
    'percent-encoded, and in another Unicode form',
  )
  t.equal(redactor.known('in "/srv/private files"'), 'in "path1"')
  t.equal(redactor.known('The file /a b/c of anna', ['/a b/c']), 'The file path2 of user1')
  t.equal(redactor.known(`chown 1 '/it'\\''s a'`, ["/it's a"]), "chown 1 'path3'", 'in a shell command')
  t.equal(redactor.placeholder('user', 'Anna'), 'user1')
})

t.test('replaces what looks private, and keeps what helps to find a fault', async (t) => {
  const redactor = createRedactor(known)
  const cases: [given: string, gone: readonly string[], kept: readonly string[]][] = [
    [
      "ENOENT: no such file or directory, open '/mnt/it's mine/tax 2024.pdf'",
      ['mine', 'tax', 'pdf'],
      ['ENOENT', 'open'],
    ],
    ["EACCES: permission denied, rename '/a/old' -> '/b/new one'", ['old', 'new'], ['EACCES', 'rename']],
    ['cannot reach 192.168.7.23 and 2001:db8::7 and fe80::1%eth0', ['192', '2001', 'fe80'], ['cannot reach']],
    ['mail of eve@example.com to https://files.example.com:8443/share/x?y', ['eve', 'example'], ['mail of']],
    ['getaddrinfo ENOTFOUND cloud.example.org', ['example'], ['getaddrinfo ENOTFOUND']],
    ['hash $argon2id$v=19$m=8,t=1,p=1$p1Bz20g3gR1lrnXlm$SG63aujOJYFJ6hN', ['p1Bz', 'SG63'], ['hash']],
    ['hash $2b$10$abcdefghijklmnopqrstuv', ['abcdef'], ['hash']],
    ['token eyJhbGciOiJI.eyJ1c2VyIjoi.c2lnbmF0dXJl', ['eyJ1', 'c2ln'], ['token']],
    ['key c2lnbmluZy1rZXktb2YtdGhlLXNlcnZlcg==', ['c2ln'], ['key']],
    ['-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----', ['MIIabc'], []],
    ['enter the code 7K2M-X0QD-93HB', ['7K2M', '93HB'], ['enter the code']],
    ['id 7Fh3kLq9ZxW2mN8bVcR4tY', ['7Fh3'], ['id']],
    ['docs/letter.odt and C:\\Users\\anna\\x.txt', ['letter', 'Users', 'anna'], ['and']],
  ]
  for (const [given, gone, kept] of cases) {
    const text = redactor.text(given)
    for (const word of gone) t.notMatch(text, word, given)
    for (const word of kept) t.match(text, word, given)
  }
})

t.test('lines of the log keep time, level, endpoint, status and error, and nothing else', async (t) => {
  const redactor = createRedactor(known)
  const line = (text: string) => redactLines([text], redactor).join('\n')
  const head = '2026-11-23T05:41:14.426Z INFO  '
  t.equal(
    line(
      `${head}answered method=GET url=/api/raw/My%20Diary/may.txt?auth=[redacted]&inline=true status=200 ms=7.2 user="Jean Dupont" address=10.1.2.3 request=0cc7bc2f-a18b-47e0-b9e3-6c4b8793cc27`,
    ),
    `${head}answered method=GET url=/api/raw/path1?auth=…&inline=true status=200 ms=7.2 user=user1 address=address1 request=0cc7bc2f-a18b-47e0-b9e3-6c4b8793cc27`,
  )
  t.equal(
    line(`${head}answered url=/share/hK3xQ9mWbT7fLrZ2vN5pYA/a user=somebody`),
    `${head}answered url=/share/path2 user=user2`,
  )
  t.equal(
    line(`${head}answered url=/api/users/7 status=400`),
    `${head}answered url=/api/users/text1 status=400`,
  )
  t.equal(line('    at open (/opt/secret place/src/core/store.ts:12:3)'), '    at open (…/store.ts:12:3)')
  t.equal(line('    at async node:internal/x:1:2'), '    at async node:internal/x:1:2')
  t.match(
    line("    Error: ENOENT: no such file, open '/x/a b.txt'"),
    /^ {4}Error: ENOENT: no such file, open path\d$/,
  )
  for (const path of ['/srv/My Secret Brand/x.svg', "'/srv/a' Secret Brand'", "/srv/it's Secret Brand"])
    for (const written of [`    Error: cannot read ${path}`, `${head}cannot read ${path} ms=1`])
      t.match(line(written), /\[left out: \d+ characters\](?: ms=1)?$/, 'the end of a path is not known')
  t.match(line("    Error: EIO: i/o error, read '/x/a b'"), /EIO: .* error, read path\d$/)
  t.equal(line('    Problem: my diary.txt already exists'), '    Problem: [left out: 27 characters]')
  t.equal(line('a line of another program with names'), '[left out: 36 characters]')
  t.equal(line('{"broken": "anna'), '[left out: 16 characters]')
  const json = JSON.parse(
    line(
      JSON.stringify({
        ...{
          level: 'error',
          time: '2026-11-23T05:41:14.426Z',
          msg: 'a bound command failed',
          user: 'anna',
          line: 'cp "$FILE" /x',
        },
        err: {
          type: 'Error',
          message: "EIO: i/o error, read '/x/y z'",
          stack: 'Error: of diary.txt\n    at read (/a/b.ts:1:2)',
          'a key of somebody': 1,
        },
      }),
    ),
  )
  t.match(json, { level: 'error', msg: 'a bound command failed', user: 'user3', err: { type: /./ } })
  t.notMatch(JSON.stringify(json), /anna|FILE|diary|somebody|y z|\/a\/b/)
})

/** Names that no constant text of Coffer contains, so that a part of one in the output is a leak. */
const privateName = fc
  .stringMatching(/^[a-z]{3}[ '"=()%:;,.\\éß-]{0,2}[a-z]{0,4}\.(txt|pdf|jpg)$/)
  .map((name) => `qzq${name}`)

t.test('no name that a user chose is in a line of the log, however it is written', async () => {
  const stamp = '2026-11-23T05:41:14.426Z'
  const quoted = (text: string) => (/[\s"=]/.test(text) ? JSON.stringify(text) : text)
  fc.assert(
    fc.property(privateName, privateName, (user, file) => {
      const redactor = createRedactor({ user: [user] })
      const path = `/srv/${file}/${file}`
      const error = {
        type: 'Error',
        message: `ENOENT: no such file or directory, open '${path}'`,
        stack: `Error: ENOENT: no such file or directory, open '${path}'\n    at x (${path}:1:2)`,
      }
      const lines = [
        `${stamp} INFO  answered method=GET url=${encodeURI(`/api/resources/${file}`)} user=${quoted(user)} file=${quoted(file)}`,
        `${stamp} WARN  text about a file folder=${quoted(path)} address=${quoted(file)}`,
        `${stamp} INFO  answered url=${quoted(`/api/public/dl/${file}?x=${file}&${file}=1`)}`,
        JSON.stringify({
          level: 'info',
          time: stamp,
          msg: 'x',
          url: `/api/raw/${file}`,
          user,
          [user]: file,
          deep: { a: { b: { c: { d: file } } } },
        }),
        JSON.stringify({ level: 'error', time: stamp, msg: 'x', err: error, list: [file] }),
        `    ${error.stack.split('\n')[0]}`,
        `    at x (${path}:1:2)`,
        `    Problem: ${file} already exists`,
        file,
      ]
      const leaks = redactLines(lines, redactor).filter((line) => line.includes('qzq'))
      if (leaks.length > 0) throw new Error(leaks.join('\n'))
    }),
    { numRuns: 500 },
  )
})
