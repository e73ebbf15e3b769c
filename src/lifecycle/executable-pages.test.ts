// Needs a process of its own: it measures the memory of the process.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { executableMappings, releaseExecutablePages } from './executable-pages.ts'

/** Memory of this process that files back, in KiB. */
const filesKiB = () => Number(/RssFile:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])

t.test(
  'pages of the program that only its start has needed are not counted as memory of the server',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const before = filesKiB()
    releaseExecutablePages()
    t.ok(filesKiB() < before - 10 * 1024, `${before - filesKiB()} KiB less`)
    t.equal(Intl.DateTimeFormat('ja').format(0).length > 0, true, 'the program runs on')
  },
)

t.test(
  'memory of the program that can change is not touched',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const maps = readFileSync('/proc/self/maps', 'utf8').split('\n')
    const writable = maps
      .filter((line) => /^\S+ .w/.test(line))
      .map((line) => BigInt(`0x${line.split('-')[0]}`))
    const released = executableMappings()
    t.ok(released.length > 0)
    for (const { start, length } of released)
      t.notOk(writable.some((address) => address >= start && address < start + length))
    t.same(executableMappings('/another/program'), [])
  },
)
