import { type ListTask, listFolder } from './list-folder.ts'
import { serveTasks } from './serve-tasks.ts'
import { helpStat, type StatTask } from './stat-names.ts'

serveTasks((task: ListTask | StatTask, tell: (part: StatTask) => void) => {
  if ('shared' in task) {
    helpStat(task)
    return { result: undefined }
  }
  const result = listFolder(task, tell)
  return { result, transfer: [result.items.buffer] }
})
