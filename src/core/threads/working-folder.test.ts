import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { inFolder } from './working-folder.ts'

const skip = process.platform !== 'linux' && 'only on Linux can a thread have a working folder'

/** Runs code in a worker thread, with `inFolder` and the address of an open folder. Returns what it returns. */
async function inThread(t: Test, folder: string, code: string): Promise<unknown> {
  const fd = openSync(folder, 'r')
  t.teardown(() => closeSync(fd))
  const module = JSON.stringify(new URL('./working-folder.ts', import.meta.url))
  const script = `
    import { readdirSync, readlinkSync } from 'node:fs'
    import { parentPort, workerData as address } from 'node:worker_threads'
    import { inFolder } from ${module}
    const here = () => readlinkSync('/proc/thread-self/cwd')
    parentPort.postMessage(await (async () => { ${code} })())`
  const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`)
  const thread = new Worker(url, { workerData: `/proc/self/fd/${fd}`, trackUnmanagedFds: false })
  return new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
}

t.test(
  'an open folder is the working folder of a worker thread, only while it is used',
  { skip },
  async (t) => {
    const folder = t.testdir({ 'a.txt': '' })
    const before = process.cwd()
    const seen = await inThread(
      t,
      folder,
      "return [inFolder(address, (prefix) => [prefix, here(), readdirSync(prefix || '.')]), here()]",
    )
    t.strictSame(seen, [['', folder, ['a.txt']], '/'])
    t.equal(readlinkSync('/proc/self/cwd'), before, 'the process stays where it is')
  },
)

t.test('a thread leaves the folder after an error', { skip }, async (t) => {
  const code =
    "try { inFolder(address, () => { throw new Error('a') }) } catch (error) { return [error.message, here()] }"
  t.strictSame(await inThread(t, t.testdir({}), code), ['a', '/'])
})

t.test('the main thread, and a folder that is not open, use the whole path', (t) => {
  const folder = t.testdir({ 'a.txt': '', 'b.txt': '' })
  const fd = openSync(folder, 'r')
  t.teardown(() => closeSync(fd))
  for (const address of [folder, `/proc/self/fd/${fd}`]) {
    const seen = inFolder(address, (prefix) => [prefix, readdirSync(prefix)])
    t.strictSame(seen, [`${address}/`, ['a.txt', 'b.txt']])
  }
  t.end()
})
