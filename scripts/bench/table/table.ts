import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Bench, cache, type ResultLine } from '../run.ts'
import { besideBusyLoops } from './busy-loops.ts'
import { crowdLine } from './crowd-line.ts'
import { downloadLines } from './download-lines.ts'
import { dropCaches, type Line, type Table } from './line.ts'
import { loadLines } from './load-lines.ts'
import { idleMemoryLine, laterMemoryLine, startLine } from './process-lines.ts'
import { heading, load, type Result, render } from './render.ts'
import { fillServed, readServed } from './served-files.ts'
import { findPrograms } from './servers.ts'
import { uploadLines } from './upload-lines.ts'

const taskLines = [...uploadLines, ...loadLines, ...downloadLines]
const tasks = taskLines.flatMap(({ task }) => task ?? [])
const lines: readonly Line[] = [...taskLines, startLine, idleMemoryLine, laterMemoryLine(tasks), crowdLine]
const busyLoops = 2
const file = join(cache, 'bench/latest.md')

/**
 * Compares Coffer with the file managers on this machine, with nginx and with limits: alone, and beside two processes
 * that use all processor time they get. Prints one table for each and writes both to `bench/latest.md` in the cache.
 */
export async function benchTable(bench: Bench): Promise<ResultLine[]> {
  const root = join(bench.folder, 'table')
  await fillServed(root, bench.size)
  await dropCaches(bench)
  await readServed(root)
  const found = await findPrograms(root, bench)
  const table = { bench, root, programs: found.programs }
  const parts: string[] = []
  // Written after each part, so that an interruption loses only the part that is being measured.
  const add = async (part: string) => {
    parts.push(part)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, parts.join('\n'))
    console.log(part)
  }
  await add(heading(bench, found))
  await add(await measured('Alone', table))
  const title = `Beside ${busyLoops} busy loops`
  await add(await besideBusyLoops(busyLoops, () => measured(title, table)))
  console.log(`Written to ${file}\n`)
  return []
}

async function measured(title: string, table: Table): Promise<string> {
  const before = load()
  const results: Result[] = []
  for (const line of lines.filter(({ what }) => what.includes(table.bench.lines))) {
    const startMs = performance.now()
    results.push({ line, figures: await line.measure(table) })
    // The progress, on the error stream, so that the output is only the table.
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0)
    console.error(`  ${title.toLowerCase()}: ${line.what} (${seconds} s)`)
  }
  return render(`${title} (load average ${before} before, ${load()} after)`, table.programs, results)
}
