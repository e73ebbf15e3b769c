// node flushed-writes.ts FOLDER COUNT BYTES: the least that safe uploads of small files need from the disk, without a
// server. Eight writers create COUNT files in FOLDER. Each file is written, flushed and renamed, and its folder is
// flushed. Prints the seconds. Run it with UV_THREADPOOL_SIZE=8, so that each writer has its own thread.
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'

const writers = 8
const [, , folder = '', count = '0', bytes = '0'] = process.argv
const content = Buffer.alloc(Number(bytes), 'x')
const parent = await open(folder)
let next = 0

const startMs = performance.now()
await Promise.all(Array.from({ length: writers }, write))
console.log((performance.now() - startMs) / 1000)
await parent.close()

async function write(): Promise<void> {
  for (let number = next++; number < Number(count); number = next++) {
    const path = join(folder, `file-${number}.bin`)
    const file = await open(`${path}.part`, 'wx')
    await file.write(content)
    await file.datasync()
    await file.close()
    await rename(`${path}.part`, path)
    await parent.sync()
  }
}
