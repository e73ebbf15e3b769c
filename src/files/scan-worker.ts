import { type ScanTask, scanTree } from './scan-tree.ts'
import { serveTasks } from './serve-tasks.ts'

serveTasks((task: ScanTask, tell: (batch: string[]) => void) => ({ result: scanTree(task, tell) }))
