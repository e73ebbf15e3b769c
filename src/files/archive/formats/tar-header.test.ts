import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tarEnd, tarHeader, tarPadding } from './tar-header.ts'

const mtimeMs = Date.UTC(2020, 1, 3, 4, 5, 7)

t.test(
  'GNU tar lists an entry over 8 GiB, whose size does not fit the octal field, and the entry after it',
  async (t) => {
    const file = join(t.testdir({}), 'x.tar')
    const fd = openSync(file, 'w')
    const size = 2 ** 33 + 5
    let at = 0
    const put = (bytes: Uint8Array) => {
      at += writeSync(fd, bytes, 0, bytes.length, at)
    }
    put(tarHeader({ entry: 'huge.bin', size, mtimeMs, mode: 0o640 }))
    at += size // a hole, which takes no disk space
    put(tarPadding(size))
    put(tarHeader({ entry: `${'long '.repeat(60)}name.txt`, size: 1, mtimeMs, mode: 0o600 }))
    put(Buffer.from('z'))
    put(tarPadding(1))
    put(tarEnd)
    closeSync(fd)
    const env = { ...process.env, TZ: 'UTC' }
    const [first, second, ...rest] = execFileSync('tar', ['-tvf', file, '--full-time'], { env })
      .toString()
      .trim()
      .split('\n')
    t.match(first, new RegExp(`^-rw-r----- .* ${size} 2020-02-03 04:05:07 huge.bin$`))
    t.match(second, / 1 2020-02-03 04:05:07 (long ){60}name.txt$/)
    t.strictSame(rest, [])
  },
)
