import { type ArchiveAnswer, type ArchiveTask, doTask } from './archive/tasks.ts'
import { serveTasks } from './serve-tasks.ts'

serveTasks<ArchiveTask, ArchiveAnswer>(doTask)
