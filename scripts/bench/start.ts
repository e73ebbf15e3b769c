import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { executable, options, portOf } from './coffer.ts'
import { type Bench, exists, median, type ResultLine, residentMb, start, stop } from './run.ts'

const idleMs = 3000

/** Measures the executable: the time from the start to the first response, and its idle memory. */
export async function benchStart(bench: Bench): Promise<ResultLine[]> {
  if (!(await exists(executable))) {
    const how = 'build it with npm run build'
    return [{ what: 'start of the executable', ours: 'bin/coffer is missing', peer: '', how }]
  }
  const root = join(bench.folder, 'start')
  await mkdir(root)
  // Measures a copy, as an installation would: a file that was just linked shows more memory than a copy of it.
  const program = join(bench.folder, 'coffer')
  await copyFile(executable, program)
  const starts: number[] = []
  const resident: number[] = []
  // The first start also creates the state file and hashes a password, so it is reported separately.
  for (let run = 0; run <= bench.runs; run++) {
    const { ms, mb } = await once(program, root)
    starts.push(ms)
    if (mb !== undefined) resident.push(mb)
  }
  return [
    {
      what: 'start of the executable',
      ours: `${median(starts.slice(1)).toFixed(0)} ms`,
      peer: 'limit 300 ms',
      ratio: median(starts.slice(1)) / 300,
      how: `until /health responds, with existing state, median of ${bench.runs}; the first start took ${starts[0]?.toFixed(0)} ms`,
    },
    {
      what: 'memory of the executable',
      ours: resident.length ? `${median(resident).toFixed(0)} MB` : 'not available on this system',
      peer: 'limit 110 MB',
      ...(resident.length ? { ratio: median(resident) / 110 } : {}),
      how: `resident memory ${idleMs / 1000} s after the start, median of ${bench.runs + 1}`,
    },
  ]
}

async function once(program: string, root: string): Promise<{ ms: number; mb: number | undefined }> {
  const startMs = performance.now()
  const child = start(program, options(root), 'pipe')
  const port = await portOf(child)
  const reply = await fetch(`http://127.0.0.1:${port}/health`)
  await reply.text()
  const ms = performance.now() - startMs
  await new Promise((resolve) => setTimeout(resolve, idleMs))
  const mb = child.pid === undefined ? undefined : await residentMb(child.pid)
  await stop(child)
  return { ms, mb }
}
