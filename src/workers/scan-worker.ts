import { serveTasks } from '#src/core/threads/serve-tasks.ts'
import { type ScanTask, scanTree } from '#src/search/scan-tree.ts'

serveTasks((task: ScanTask, send: (batch: string[]) => void) => ({ result: scanTree(task, send) }))
