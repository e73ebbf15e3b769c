// Tests what a release changes in programs for macOS and Windows, with small programs that are made here.
import { createHash } from 'node:crypto'
import t from 'tap'
import { listSegmentWithoutFixups } from '../scripts/release/mach-o-fixups.ts'
import { signAdHoc } from '../scripts/release/mach-o-signature.ts'
import { dropSignature } from '../scripts/release/pe-signature.ts'

const text = { name: '__TEXT', offset: 0, size: 0x4000, section: 0x800 }
const added = { name: 'NODE_SEA', offset: 0x4000, size: 0x1000, section: 0x4000 }
const linkEdit = { name: '__LINKEDIT', offset: 0x5000, size: 0x60, section: 0 }

interface Part {
  name: string
  offset: number
  size: number
  section: number
}

/** Makes a Mach-O program with these segments, and with fixups at the start of its last segment. */
function makeProgram(segments: readonly Part[], fixups: Buffer): Buffer {
  const program = Buffer.alloc(linkEdit.offset + linkEdit.size, 0xaa)
  const commands = segments.map(({ name, offset, size, section }) => {
    const command = Buffer.alloc(72 + (section ? 80 : 0))
    command.writeUInt32LE(0x19, 0)
    command.writeUInt32LE(command.length, 4)
    command.write(name, 8)
    for (const [at, value] of [
      [24, offset],
      [32, Math.max(size, 0x4000)],
      [40, offset],
      [48, size],
    ] as const)
      command.writeBigUInt64LE(BigInt(value), at)
    command.writeUInt32LE(section ? 1 : 0, 64)
    if (section) command.writeUInt32LE(section, 72 + 48)
    return command
  })
  const chained = Buffer.alloc(16)
  for (const [index, value] of [0x80000034, 16, linkEdit.offset, fixups.length].entries())
    chained.writeUInt32LE(value, index * 4)
  const all = Buffer.concat([...commands, chained])
  program.fill(0, 0, 0x800)
  for (const [index, value] of [0xfeedfacf, 0x100000c, 0, 2, commands.length + 1, all.length].entries())
    program.writeUInt32LE(value, index * 4)
  program.set(all, 32)
  program.set(fixups, linkEdit.offset)
  return program
}

/** Makes the fixups of a program: one part, for the first segment, then an import and its name. */
function makeFixups(segments: number, unused: number): Buffer {
  const starts = Buffer.alloc(4 + segments * 4 + 24, 0xbb)
  starts.writeUInt32LE(segments, 0)
  starts.fill(0, 4, 4 + segments * 4)
  starts.writeUInt32LE(4 + segments * 4, 4)
  starts.writeUInt32LE(24, 4 + segments * 4)
  const header = Buffer.alloc(28)
  for (const [index, value] of [0, 28, 28 + starts.length, 32 + starts.length, 1, 1, 0].entries())
    header.writeUInt32LE(value, index * 4)
  return Buffer.concat([header, starts, Buffer.from([1, 2, 3, 4]), Buffer.from('_f\0'), Buffer.alloc(unused)])
}

t.test(
  'the signature of a program for macOS has the hash of every page, and covers the whole file',
  async (t) => {
    const program = makeProgram([text, linkEdit], makeFixups(2, 0))
    const signed = signAdHoc(program, 'coffer')
    const start = Math.ceil(program.length / 16) * 16
    t.equal(signed.readUInt32LE(16), 4, 'one command more')
    const command = 32 + program.readUInt32LE(20)
    t.strictSame(
      [0, 4, 8, 12].map((at) => signed.readUInt32LE(command + at)),
      [0x1d, 16, start, signed.length - start],
    )
    const directory = signed.subarray(start + 20)
    t.equal(signed.readUInt32BE(start), 0xfade0cc0)
    t.equal(directory.readUInt32BE(0), 0xfade0c02)
    const [hashes, pages, limit] = [16, 28, 32].map((at) => directory.readUInt32BE(at)) as [
      number,
      number,
      number,
    ]
    t.strictSame([pages, limit], [Math.ceil(start / 4096), start])
    for (let page = 0; page < pages; page++) {
      const bytes = signed.subarray(page * 4096, Math.min((page + 1) * 4096, limit))
      const hash = directory.subarray(hashes + page * 32, hashes + page * 32 + 32)
      t.same(hash, createHash('sha256').update(bytes).digest(), `page ${page}`)
    }
    t.equal(hashes + pages * 32, directory.length)
    const segment = 32 + 152
    t.equal(
      signed.readBigUInt64LE(segment + 48),
      BigInt(signed.length - linkEdit.offset),
      'the last segment has the signature',
    )
    t.throws(() => signAdHoc(signed, 'coffer'), { message: /signed already/ })
    t.throws(() => signAdHoc(program.subarray(0, -1), 'coffer'), { message: /not at the end/ })
    t.throws(() => signAdHoc(Buffer.from('#!/bin/sh\n'.repeat(9)), 'coffer'), {
      message: /not a 64-bit Mach-O/,
    })
  },
)

t.test('the fixups list the segment of the embedded files, as new versions of macOS require', async (t) => {
  const segments = [text, added, linkEdit]
  const begin = linkEdit.offset
  const program = makeProgram(segments, makeFixups(2, 9))
  listSegmentWithoutFixups(program, 'NODE_SEA')
  const [starts, imports, symbols] = [4, 8, 12].map((at) => program.readUInt32LE(begin + at)) as [
    number,
    number,
    number,
  ]
  const words = [0, 4, 8, 12].map((at) => program.readUInt32LE(begin + starts + at))
  t.strictSame(words, [3, 16, 0, 0], 'three segments, of which only the first has fixups')
  t.equal(program.readUInt32LE(begin + starts + 16), 24)
  t.equal(program[begin + starts + 16 + 23], 0xbb, 'its fixups are unchanged')
  t.same(program.subarray(begin + imports, begin + imports + 4), Buffer.from([1, 2, 3, 4]))
  t.equal(program.toString('latin1', begin + symbols, begin + symbols + 3), '_f\0')
  const again = Buffer.from(program)
  listSegmentWithoutFixups(again, 'NODE_SEA')
  t.ok(again.equals(program), 'a complete list stays as it is')
  const full = makeProgram(segments, makeFixups(2, 3))
  t.throws(() => listSegmentWithoutFixups(full, 'NODE_SEA'), { message: /no space for a segment/ })
  t.throws(() => listSegmentWithoutFixups(makeProgram(segments, makeFixups(1, 9)), 'NODE_SEA'), {
    message: /1 of 3 segments/,
  })
})

t.test(
  'a program for Windows has no reference to the signature of Node, which does not match it',
  async (t) => {
    const program = Buffer.alloc(0x200, 0xaa)
    program.writeUInt32LE(0x80, 0x3c)
    program.write('PE\0\0', 0x80)
    program.writeUInt16LE(0x20b, 0x98)
    const place = 0x98 + 112 + 4 * 8
    dropSignature(program)
    t.same(program.subarray(place, place + 8), Buffer.alloc(8))
    t.strictSame([program[place - 1], program[place + 8]], [0xaa, 0xaa], 'its neighbours stay')
    t.throws(() => dropSignature(Buffer.alloc(0x200)), { message: /not a 64-bit Windows program/ })
  },
)
