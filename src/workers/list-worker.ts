import { serveTasks } from '#src/core/concurrency/serve-tasks.ts'
import { type ListTask, listFolder } from '#src/files/listing/list-folder.ts'
import { helpWithStats, type StatTask } from '#src/files/listing/stat-names.ts'
import { entriesJson } from '#src/resources/list-json.ts'

serveTasks((task: ListTask | StatTask, send: (part: StatTask) => void) => {
  if ('shared' in task) {
    helpWithStats(task)
    return { result: undefined }
  }
  const result = listFolder(task, entriesJson, send)
  return { result, transfer: [result.items.buffer] }
})
