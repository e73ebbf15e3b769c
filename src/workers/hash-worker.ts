import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { type HashTask, hashFile } from '#src/files/reading/hash-file.ts'

serveTasks((task: HashTask) => ({ result: hashFile(task) }))
