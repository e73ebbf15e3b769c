import type { Done } from '../serve-tasks.ts'
import { type ListNames, listNames, type Names } from './list-names.ts'
import { type Pack, type Packed, pack } from './pack.ts'
import { type Squeeze, type Squeezed, squeeze } from './squeeze.ts'

/** What the threads do for archives. */
export type ArchiveTask = ListNames | Pack | Squeeze
export type ArchiveAnswer = Names | Packed | Squeezed

/** Does one task in a thread. */
export function doTask(task: ArchiveTask): Done<ArchiveAnswer> {
  if (task.kind === 'list') return { result: listNames(task) }
  const result = task.kind === 'pack' ? pack(task) : squeeze(task)
  return { result, transfer: [result.bytes.buffer] }
}
