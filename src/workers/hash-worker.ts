import { serveTasks } from '#src/core/concurrency/serve-tasks.ts'
import { type HashTask, hashFile } from '#src/files/reading/hash-file.ts'

serveTasks((task: HashTask) => ({ result: hashFile(task) }))
