import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { find } from '../../bench/run.ts'
import { checkRecording, type Strictness } from './check.ts'
import { recordServer } from './record.ts'
import { changeEverything } from './work.ts'

/**
 * Each level that must hold. The server relies on file systems that write names in their order for what it keeps of
 * deleted and replaced files, and for nothing else.
 */
const levels: readonly Strictness[] = [
  { order: 'alone', keepsOld: false },
  { order: 'in order', keepsOld: true },
]

/**
 * Records the system calls of a server while files change, and checks which of them a power cut would lose.
 *
 * @returns whether nothing would be lost, or nothing could be checked because strace is missing
 */
export async function checkPowerCuts(): Promise<boolean> {
  const strace = await find('strace')
  if (strace === undefined) {
    console.log('power cuts: not checked, because strace is not installed')
    return true
  }
  const base = await mkdtemp(join(tmpdir(), 'coffer-power-cut-'))
  const recording = await recordServer(strace, base, (client) => changeEverything(client, { isShort: false }))
  for (const level of levels) {
    const { answers, cuts, planned, losses } = checkRecording(recording, level)
    console.log(
      `power cuts, names flushed ${level.order}: ${answers} answers, ${cuts} cut points, ${planned} renames after their ` +
        `records, ${losses.length} losses`,
    )
    if (losses.length === 0) continue
    console.log(losses.join('\n'))
    console.log(`the record is kept in ${base}`)
    return false
  }
  await rm(base, { recursive: true })
  return true
}
