import type { TaskResult } from '#src/core/threads/serve-tasks.ts'
import { type BlockTask, type CompressedBlock, compressBlock } from './compression/compress-block.ts'
import type { Bounds, CompiledBounds, WithCompiledBounds } from './formats/entry.ts'
import { type ListTask, listNames, type Names } from './list-names.ts'
import { type Packed, type PackTask, pack } from './pack-items.ts'

/** The tasks of the worker threads for archives. */
export type ArchiveTask = ListTask | PackTask | BlockTask
export type ArchiveResult = Names | Packed | CompressedBlock

/** Runs one task in a worker thread. */
export async function runArchiveTask(task: ArchiveTask): Promise<TaskResult<ArchiveResult>> {
  if (task.kind === 'list') return { result: listNames(await limited(task)) }
  if (task.kind === 'pack') {
    const result = pack(await limited(task))
    return { result, transfer: [result.bytes.buffer, ...result.records.map(({ buffer }) => buffer)] }
  }
  const result = await compressBlock(task)
  return { result, transfer: [result.bytes.buffer] }
}

async function limited<Task extends { bounds: Bounds }>(task: Task): Promise<WithCompiledBounds<Task>> {
  return { ...task, bounds: { ...task.bounds, allows: await compiledRules(task.bounds) } }
}

/** Compiles the rules. Imports the library only when needed, because it takes several megabytes in each thread. */
async function compiledRules({ rules, hideDotfiles = false }: Bounds): Promise<CompiledBounds['allows']> {
  if (rules.length === 0 && !hideDotfiles) return () => true
  const { compileRules, withoutDotfiles: hiding } = await import('#src/core/access/rules.ts')
  return hiding(compileRules(rules), hideDotfiles)
}
