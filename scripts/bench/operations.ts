import { benchChanges } from './changes.ts'
import { benchRecords } from './records.ts'
import type { Bench, Benchmark, ResultLine } from './run.ts'

/** The parts of `npm run bench -- operations`, in their order. A further part is one more row. */
const parts: readonly Benchmark[] = [benchChanges, benchRecords]

/** Measures what the history of changes costs. */
export async function benchOperations(bench: Bench): Promise<ResultLine[]> {
  const lines: ResultLine[] = []
  for (const part of parts) lines.push(...(await part(bench)))
  return lines
}
