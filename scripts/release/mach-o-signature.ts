import { createHash } from 'node:crypto'
import { commandsEnd, commandsOf, countCommand, type Segment, segmentsOf } from './mach-o.ts'

// macOS on ARM64 runs only signed programs. An ad-hoc signature contains the hashes of the program and no certificate.
// The tools of macOS write the same one with `codesign --sign -`, and linkers write it too. Source of the layout:
// `cs_blobs.h` of the kernel of macOS.

const signatureCommand = 0x1d
const signatureCommandSize = 16
const signedPage = 4096
/** The largest memory page of macOS. The size of a segment in memory is a multiple of it. */
const memoryPage = 0x4000

const superBlobMagic = 0xfade0cc0
const codeDirectoryMagic = 0xfade0c02
const superBlobSize = 20
const codeDirectorySize = 88
/** The version with the fields of the executable segment. */
const codeDirectoryVersion = 0x20400
/** Ad-hoc, and made by a linker: `codesign` replaces such a signature without being forced. */
const signatureFlags = 0x20002
const sha256 = { type: 2, size: 32 }
const mainBinary = 1n

/**
 * Returns a copy of an unsigned 64-bit Mach-O program with an ad-hoc signature.
 *
 * @param identifier the name of the program in the signature
 * @throws Error for a file that is not such a program.
 */
export function signAdHoc(program: Buffer, identifier: string): Buffer {
  const { text, linkEdit } = checked(program)
  const start = roundUp(program.length, 16)
  const pages = Math.ceil(start / signedPage)
  const size = superBlobSize + codeDirectorySize + identifier.length + 1 + pages * sha256.size
  const signed = Buffer.alloc(start + size)
  signed.set(program)
  for (const [index, value] of [signatureCommand, signatureCommandSize, start, size].entries())
    signed.writeUInt32LE(value, commandsEnd(program) + index * 4)
  countCommand(signed, signatureCommandSize)
  const linkEditSize = signed.length - linkEdit.fileOffset
  signed.writeBigUInt64LE(BigInt(roundUp(linkEditSize, memoryPage)), linkEdit.at + 32)
  signed.writeBigUInt64LE(BigInt(linkEditSize), linkEdit.at + 48)
  // The hashes cover the changed commands, so the signature is the last step.
  const blob = signed.subarray(start)
  for (const [index, value] of [superBlobMagic, size, 1, 0, superBlobSize].entries())
    blob.writeUInt32BE(value, index * 4)
  writeDirectory(blob.subarray(superBlobSize), { code: signed.subarray(0, start), identifier, text })
  return signed
}

function writeDirectory(
  blob: Buffer,
  { code, identifier, text }: { code: Buffer; identifier: string; text: Segment },
): void {
  const hashes = codeDirectorySize + identifier.length + 1
  const pages = Math.ceil(code.length / signedPage)
  const words = [
    codeDirectoryMagic,
    blob.length,
    codeDirectoryVersion,
    signatureFlags,
    hashes,
    codeDirectorySize, // the place of the identifier
    0, // special slots
    pages,
    code.length,
  ]
  for (const [index, value] of words.entries()) blob.writeUInt32BE(value, index * 4)
  blob.set([sha256.size, sha256.type, 0, Math.log2(signedPage)], 36)
  // The 24 bytes from 40 on stay zero: no scatter, no team, and the 64-bit limit is only for larger programs.
  blob.writeBigUInt64BE(BigInt(text.fileOffset), 64)
  blob.writeBigUInt64BE(BigInt(text.fileSize), 72)
  blob.writeBigUInt64BE(mainBinary, 80)
  blob.write(`${identifier}\0`, codeDirectorySize, 'latin1')
  for (let page = 0; page < pages; page++) {
    const bytes = code.subarray(page * signedPage, (page + 1) * signedPage)
    blob.set(createHash('sha256').update(bytes).digest(), hashes + page * sha256.size)
  }
}

/** Checks that a signature can be added to the end, and returns the two segments that it needs. */
function checked(program: Buffer): { text: Segment; linkEdit: Segment } {
  if (commandsOf(program).some(({ kind }) => kind === signatureCommand))
    throw new Error('The Mach-O program is signed already.')
  const segments = segmentsOf(program)
  const [text, linkEdit] = ['__TEXT', '__LINKEDIT'].map((name) => segments.find((each) => each.name === name))
  if (!text || !linkEdit) throw new Error('The Mach-O program has no __TEXT or no __LINKEDIT segment.')
  if (linkEdit.fileOffset + linkEdit.fileSize !== program.length)
    throw new Error('The __LINKEDIT segment is not at the end of the Mach-O program.')
  const firstContent = Math.min(...segments.flatMap(({ sections }) => sections))
  if (commandsEnd(program) + signatureCommandSize > firstContent)
    throw new Error('The Mach-O program has no space for the command of a signature.')
  return { text, linkEdit }
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple
}
