import { serveTasks } from './serve-tasks.ts'
import { type TreeTask, workOnTree } from './tree-tasks.ts'

serveTasks((task: TreeTask) => ({ result: workOnTree(task) }))
