import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { runTreeTask, type TreeTask } from '#src/files/tree-walk/tree-tasks.ts'

serveTasks((task: TreeTask) => ({ result: runTreeTask(task) }))
