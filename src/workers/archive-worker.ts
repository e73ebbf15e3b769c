import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { type ArchiveResult, type ArchiveTask, runArchiveTask } from '#src/files/archive/tasks.ts'

serveTasks<ArchiveTask, ArchiveResult>(runArchiveTask)
