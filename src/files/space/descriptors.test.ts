import { readFileSync } from 'node:fs'
import t from 'tap'
import { descriptorLimit, planDescriptors } from './descriptors.ts'

t.test('reads the limit of open files of this process', async (t) => {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  t.equal(String(descriptorLimit()), soft)
})

t.test('with enough file descriptors, allows all connections and leaves the rest for files', async (t) => {
  const { connections, files, needed } = planDescriptors(65_536, 4096)
  t.equal(connections, 4096)
  t.ok(files > 50_000)
  t.equal(needed, undefined)
})

t.test('divides a limit that is too low, and returns the limit that would be enough', async (t) => {
  for (const limit of [0, 64, 256, 1024, 4096, 12_000]) {
    const { connections, files, needed = 0 } = planDescriptors(limit, 4096)
    t.ok(connections >= 16 && connections < 4096, `${limit}: ${connections} connections`)
    t.ok(files >= 64, `${limit}: ${files} files`)
    if (limit >= 1024) t.ok(2 * connections + files < limit - 256, 'the reserve stays free')
    t.equal(planDescriptors(needed, 4096).needed, undefined)
    t.equal(planDescriptors(needed, 4096).connections, 4096)
  }
})

t.test('a small number of connections is allowed in full', async (t) => {
  t.equal(planDescriptors(5000, 10).connections, 10)
})
