// The signature of Node for Windows does not match any more when files are embedded, and its place has moved. Programs
// without a signature are normal; tools that find a broken one distrust the program. Source of the layout: "PE Format"
// of Microsoft.

const peHeader = 0x3c
const optionalHeader = 24
const pe32Plus = 0x20b
const directories = 112
/** The data directory with the place and the size of the signature. */
const signature = 4

/** Removes the reference to the signature of a 64-bit Windows program, in place. @throws Error for another file. */
export function dropSignature(program: Buffer): void {
  const start = program.readUInt32LE(peHeader)
  const header = start + optionalHeader
  if (program.toString('latin1', start, start + 4) !== 'PE\0\0' || program.readUInt16LE(header) !== pe32Plus)
    throw new Error('This is not a 64-bit Windows program.')
  program.fill(0, header + directories + signature * 8, header + directories + signature * 8 + 8)
}
