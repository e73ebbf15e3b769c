// Starts threads that compress without a pause, and ends each after up to 3 ms. For `uninterrupted.test.ts`, in a process
// of its own: an interrupted call ends the process.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { endThread, guardedData, registerThread } from '#src/core/zlib/uninterrupted.ts'

const compress = new URL('../core/zlib/compress.ts', import.meta.url)
const code = `
  import(${JSON.stringify(compress)}).then(({ deflateRawSync }) => {
    require('node:worker_threads').parentPort.postMessage('running')
    for (const bytes = Buffer.alloc(10); ; ) deflateRawSync(bytes)
  })`

for (let round = 0; round < Number(process.argv[2]); round++) {
  const workerData = guardedData()
  const worker = new Worker(code, { eval: true, workerData })
  registerThread(worker, workerData)
  await once(worker, 'message')
  await sleep(Math.random() * 3)
  await endThread(worker)
}
