// The parts of 64-bit Mach-O programs that a release reads and changes. Source of the layouts: `mach-o/loader.h` of
// macOS.

const magic = 0xfeedfacf
const headerSize = 32
const segmentCommand = 0x19

/** One load command: its kind, and where it is in the file. */
export interface Command {
  readonly kind: number
  readonly at: number
}

/** The load command of a segment. */
export interface Segment {
  readonly name: string
  /** Where its load command begins. */
  readonly at: number
  readonly fileOffset: number
  readonly fileSize: number
  /** Where its sections begin in the file. Sections without content in the file are left out. */
  readonly sections: readonly number[]
}

/** Where the load commands end. @throws Error for a file that is not a 64-bit Mach-O program. */
export function commandsEnd(program: Buffer): number {
  if (program.length < headerSize || program.readUInt32LE(0) !== magic)
    throw new Error('This is not a 64-bit Mach-O program.')
  return headerSize + program.readUInt32LE(20)
}

/** Returns the load commands of a program, in their order. @throws Error as `commandsEnd`. */
export function commandsOf(program: Buffer): Command[] {
  const commands: Command[] = []
  const end = commandsEnd(program)
  for (let at = headerSize; at < end; at += Math.max(8, program.readUInt32LE(at + 4)))
    commands.push({ kind: program.readUInt32LE(at), at })
  return commands
}

/** Returns the segments of a program, in their order. @throws Error as `commandsEnd`. */
export function segmentsOf(program: Buffer): Segment[] {
  const commands = commandsOf(program).filter(({ kind }) => kind === segmentCommand)
  return commands.map(({ at }) => {
    const [name = ''] = program.toString('latin1', at + 8, at + 24).split('\0')
    const count = program.readUInt32LE(at + 64)
    const sections = Array.from({ length: count }, (_, index) =>
      program.readUInt32LE(at + 72 + index * 80 + 48),
    )
    return {
      name,
      at,
      fileOffset: Number(program.readBigUInt64LE(at + 40)),
      fileSize: Number(program.readBigUInt64LE(at + 48)),
      sections: sections.filter((offset) => offset > 0),
    }
  })
}

/** Adds the two numbers of the header up for one more load command of `size` bytes. */
export function countCommand(program: Buffer, size: number): void {
  program.writeUInt32LE(program.readUInt32LE(16) + 1, 16)
  program.writeUInt32LE(program.readUInt32LE(20) + size, 20)
}
