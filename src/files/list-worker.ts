import { listFolder } from './list-folder.ts'
import { serveTasks } from './serve-tasks.ts'

serveTasks((task: Parameters<typeof listFolder>[0]) => {
  const result = listFolder(task)
  return { result, transfer: [result.items.buffer] }
})
