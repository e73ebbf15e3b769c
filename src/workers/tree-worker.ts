import { serveTasks } from '#src/core/concurrency/serve-tasks.ts'
import { type TreeTask, workOnTree } from '#src/files/tree-walk/tree-tasks.ts'

serveTasks((task: TreeTask) => ({ result: workOnTree(task) }))
