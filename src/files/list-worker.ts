import { parentPort } from 'node:worker_threads'
import { type ListTask, listFolder } from './list-folder.ts'

// The worker's whole life: a task in, a result or the system's error out. The bytes are handed over, not copied.
parentPort?.on('message', ({ id, task }: { id: number; task: ListTask }) => {
  try {
    const result = listFolder(task)
    parentPort?.postMessage({ id, result }, [result.items.buffer])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    parentPort?.postMessage({ id, error: { code, message } })
  }
})
