import { readFile } from 'node:fs/promises'
import type { Platform } from './platforms.ts'

/** The text in Node before the digit that says whether files are embedded. In two parts, so that it is not here too. */
const fuse = Buffer.from(`NODE_SEA${'_FUSE_fce680ab2cc467b6e072b8b5df1996b2'}:1`)

/**
 * Checks that a file is an executable for a platform and contains files.
 *
 * @param embedded the paths of the files
 * @throws Error that says what is wrong.
 */
export async function verifyExecutable(
  file: string,
  { name, platform, arch }: Platform,
  embedded: readonly string[],
): Promise<void> {
  const program = await readFile(file)
  const found = platformOf(program)
  if (found !== `${platform} ${arch}`) throw new Error(`${file} is for ${found}, not for ${name}.`)
  if (!program.includes(fuse)) throw new Error(`${file} does not read its embedded files.`)
  for (const each of embedded)
    if (!program.includes(await readFile(each))) throw new Error(`${file} does not contain ${each}.`)
}

/** The system and processor of a program, from its header: ELF, Mach-O or PE. */
function platformOf(program: Buffer): string {
  if (program.subarray(0, 5).equals(Buffer.from('\x7fELF\x02', 'latin1')))
    return `linux ${{ 62: 'x64', 183: 'arm64' }[program.readUInt16LE(18)]}`
  if (program.readUInt32LE(0) === 0xfeedfacf)
    return `darwin ${{ 16777223: 'x64', 16777228: 'arm64' }[program.readUInt32LE(4)]}`
  const header = program.toString('latin1', 0, 2) === 'MZ' ? program.readUInt32LE(0x3c) : 0
  if (header > 0 && program.toString('latin1', header, header + 4) === 'PE\0\0')
    return `win32 ${{ 34404: 'x64', 43620: 'arm64' }[program.readUInt16LE(header + 4)]}`
  return 'no known system'
}
