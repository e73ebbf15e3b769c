import { serveTasks } from '#src/core/concurrency/serve-tasks.ts'
import { type ArchiveResult, type ArchiveTask, runArchiveTask } from '#src/files/archive/tasks.ts'

serveTasks<ArchiveTask, ArchiveResult>(runArchiveTask)
