import { commandsOf, segmentsOf } from './mach-o.ts'

// The "chained fixups" of a program say which pointers its loader must adjust, segment by segment. The segment with the
// embedded files is added after linking, so it is not in that list. New versions of macOS refuse a program whose list is
// shorter than its segments. Source of the layout: `mach-o/fixup-chains.h`.

const fixupsCommand = 0x80000034

/**
 * Adds an entry without fixups for a new segment to the list of a program, in place. Does nothing when the list is
 * complete.
 *
 * @param added the name of the segment that was added after linking
 * @throws Error when there is no space for the entry.
 */
export function listSegmentWithoutFixups(program: Buffer, added: string): void {
  const command = commandsOf(program).find(({ kind }) => kind === fixupsCommand)
  if (!command) return
  const [begin, size] = [program.readUInt32LE(command.at + 8), program.readUInt32LE(command.at + 12)]
  const fixups = program.subarray(begin, begin + size)
  const starts = fixups.subarray(fixups.readUInt32LE(4), fixups.readUInt32LE(8))
  const segments = segmentsOf(program)
  const count = starts.readUInt32LE(0)
  if (count === segments.length) return
  const place = segments.findIndex(({ name }) => name === added)
  if (count !== segments.length - 1 || place === -1)
    throw new Error(
      `The fixups list ${count} of ${segments.length} segments, and not only ${added} is missing.`,
    )
  const parts = Array.from({ length: count }, (_, index) =>
    partAt(starts, starts.readUInt32LE(4 + index * 4)),
  )
  const list = listOf(parts.toSpliced(place, 0, undefined))
  makeRoom(fixups, list.length - starts.length)
  fixups.fill(0, fixups.readUInt32LE(4), fixups.readUInt32LE(8))
  fixups.set(list, fixups.readUInt32LE(4))
}

/** The fixups of one segment; undefined if it has none. */
function partAt(starts: Buffer, offset: number): Buffer | undefined {
  return offset === 0 ? undefined : Buffer.from(starts.subarray(offset, offset + starts.readUInt32LE(offset)))
}

/** Returns the list of all segments: their number, the place of each part, and the parts. */
function listOf(parts: readonly (Buffer | undefined)[]): Buffer {
  const places = 4 + parts.length * 4
  const length = parts.reduce((sum, part) => sum + roundUp(part?.length ?? 0), places)
  const list = Buffer.alloc(length)
  list.writeUInt32LE(parts.length, 0)
  let at = places
  for (const [index, part] of parts.entries()) {
    if (!part) continue
    list.writeUInt32LE(at, 4 + index * 4)
    list.set(part, at)
    at += roundUp(part.length)
  }
  return list
}

/** Moves what follows the list of segments, the imports and their names, into the unused bytes at the end. */
function makeRoom(fixups: Buffer, missing: number): void {
  if (missing <= 0) return
  const [imports, symbols] = [fixups.readUInt32LE(8), fixups.readUInt32LE(12)]
  // The last name ends with a zero.
  if (fixups.subarray(fixups.length - missing - 1).some((byte) => byte !== 0))
    throw new Error('The fixups of the Mach-O program have no space for a segment.')
  fixups.copyWithin(imports + missing, imports, fixups.length - missing)
  fixups.writeUInt32LE(imports + missing, 8)
  fixups.writeUInt32LE(symbols + missing, 12)
}

/** All parts begin at a multiple of four bytes. */
function roundUp(length: number): number {
  return Math.ceil(length / 4) * 4
}
