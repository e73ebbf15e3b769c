import { serveTasks } from '#src/core/concurrency/serve-tasks.ts'
import { type ArchiveAnswer, type ArchiveTask, doTask } from '#src/files/archive/tasks.ts'

serveTasks<ArchiveTask, ArchiveAnswer>(doTask)
