import { Worker } from 'node:worker_threads'
import { embedded } from '#src/core/embedded.ts'

interface Waiting {
  resolve(result: never): void
  reject(error: unknown): void
}

/**
 * A thread that answers tasks one after another, started when first needed. `name` is a file `<name>-worker.ts` of this
 * folder. When the thread dies, what it had not answered fails and the next task starts a new one.
 */
export function createWorker<Task, Result>(name: string) {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let nextId = 1

  function ready(): Worker {
    if (thread) return thread
    const started = start(name)
    const end = (error: unknown) => {
      if (thread !== started) return
      thread = undefined
      for (const task of waiting.values()) task.reject(error)
      waiting.clear()
    }
    started.on('message', ({ id, result, error }) => {
      const task = waiting.get(id)
      waiting.delete(id)
      if (error) task?.reject(Object.assign(new Error(error.message), { code: error.code }))
      else task?.resolve(result as never)
    })
    started.on('error', end)
    started.on('exit', () => end(new Error(`the ${name} thread ended`)))
    started.unref() // an idle thread keeps no program alive
    thread = started
    return started
  }

  return {
    /** Hands `task` over and waits for its result. */
    run(task: Task): Promise<Result> {
      const id = nextId++
      return new Promise<Result>((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        ready().postMessage({ id, task })
      })
    },
    async close(): Promise<void> {
      await thread?.terminate()
    },
  }
}

function start(name: string): Worker {
  const code = embedded(`workers/${name}.js`)
  return code
    ? new Worker(code.toString(), { eval: true })
    : new Worker(new URL(`./${name}-worker.ts`, import.meta.url))
}
