import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { type ListResult, type ListStart, listFolder } from '#src/files/listing/list-folder.ts'
import type { ListTask } from '#src/files/listing/list-task.ts'
import { helpWithStats, type StatTask } from '#src/files/listing/stat-names.ts'
import { createJsonWriter } from '#src/http/list-json.ts'
import { createListingCompressor } from '#src/http/listing-json.ts'

const uncompressed = {
  start: (beginning: ListStart) => beginning,
  finish: (result: ListResult) => result,
}

serveTasks((task: ListTask | StatTask, send: (part: StatTask | ListStart) => void) => {
  if ('shared' in task) {
    helpWithStats(task)
    return { result: undefined }
  }
  const { start, finish } = task.compressed ? createListingCompressor(task.compressed) : uncompressed
  const result = finish(
    listFolder(task, createJsonWriter, {
      share: send,
      ...(start && { start: (beginning) => send(start(beginning)) }),
    }),
  )
  return { result, transfer: [result.items.buffer] }
})
