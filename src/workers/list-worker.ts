import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { type ListStart, listFolder } from '#src/files/listing/list-folder.ts'
import type { ListTask } from '#src/files/listing/list-task.ts'
import { helpWithStats, type StatTask } from '#src/files/listing/stat-names.ts'
import { createJsonWriter } from '#src/resources/list-json.ts'

serveTasks((task: ListTask | StatTask, send: (part: StatTask | ListStart) => void) => {
  if ('shared' in task) {
    helpWithStats(task)
    return { result: undefined }
  }
  const result = listFolder(task, createJsonWriter, { share: send, start: send })
  return { result, transfer: [result.items.buffer] }
})
