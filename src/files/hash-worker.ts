import { type HashTask, hashFile } from './hash-file.ts'
import { serveTasks } from './serve-tasks.ts'

serveTasks((task: HashTask) => ({ result: hashFile(task) }))
