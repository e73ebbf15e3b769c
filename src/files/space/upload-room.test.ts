import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runOnOwnDisk } from '#src/testing/own-disk.ts'

const MiB = 1024 * 1024

interface Facts {
  large: string
  second: string
  tiny: string
  again: string
  partly: string
  unknown: string
  left: number
  leftBySmall: number
}

t.test('uploads to a small disk use the free space and leave a reserve', async (t) => {
  const disk = join(t.testdir(), 'disk')
  mkdirSync(disk)
  const facts = (await runOnOwnDisk(script(), { folder: disk, size: '24M', words: [disk] })) as
    | Facts
    | undefined
  if (!facts) return void t.pass('a disk of its own', { skip: 'this system cannot mount a disk' })
  t.equal(facts.large, 'disk.full', 'more than the free space')
  t.equal(facts.second, 'disk.full', 'the second upload cannot use space that the first one reserved')
  t.equal(facts.tiny, 'room', 'a small file still fits')
  t.equal(facts.again, 'room', 'the space of an aborted upload is free again')
  t.equal(facts.partly, 'room', 'received bytes are on the disk and no longer reserved')
  t.equal(
    facts.unknown,
    'disk.full',
    'an upload of unknown size fails when other files have used the remaining space',
  )
  t.ok(facts.leftBySmall >= Math.floor((24 * MiB) / 100), `small files leave ${facts.leftBySmall} bytes`)
  t.ok(facts.left > 0 && facts.left < MiB, `${facts.left} bytes are left`)
})

function script(): string {
  const module = JSON.stringify(new URL('./upload-room.ts', import.meta.url))
  return `import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { takeRoom } from ${module}
const MiB = 1024 * 1024
const folder = process.argv[1]
const file = await open(join(folder, 'a'), 'w')
const free = () => { const { bavail, bsize } = statfsSync(folder); return bavail * bsize }
const rooms = []
const ask = (expected) => takeRoom(file, { path: '/a', expected })
  .then((room) => (rooms.push(room), 'room'), ({ code }) => code)
const give = () => rooms.splice(0).forEach((room) => room[Symbol.dispose]())
const facts = {}
facts.large = await ask(30 * MiB)
await ask(15 * MiB)
facts.second = await ask(15 * MiB)
facts.tiny = await ask(MiB)
give()
facts.again = await ask(15 * MiB)
rooms[0].count(10 * MiB)
await file.write(Buffer.alloc(10 * MiB))
facts.partly = await ask(8 * MiB)
give()
const silent = await takeRoom(file, { path: '/a' })
silent.count(2 * MiB)
writeFileSync(join(folder, 'others'), Buffer.alloc(free() - 128 * 1024))
while (!facts.unknown) {
  try {
    silent.count(1)
    await setTimeout(5)
  } catch ({ code }) {
    facts.unknown = code
  }
}
facts.left = free()
rmSync(join(folder, 'others'))
await file.truncate(0)
for (let n = 0; ; n++) {
  const small = await open(join(folder, 'small' + n), 'w')
  const refused = await takeRoom(small, { path: '/small', expected: 64 * 1024 }).then((room) => {
    room.count(64 * 1024)
    room[Symbol.dispose]()
  }, ({ code }) => code)
  if (!refused) await small.write(Buffer.alloc(64 * 1024))
  await small.close()
  if (refused) break
}
facts.leftBySmall = free()
console.log(JSON.stringify(facts))`
}
