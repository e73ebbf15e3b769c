import { isMainThread } from 'node:worker_threads'
import { lazyLibc } from '#src/core/libc.ts'

// unshare(2): CLONE_FS. The thread gets a working folder of its own. A sandbox may refuse this.
const cloneFs = 0x200
const topFolder = Buffer.from('/\0')

const load = lazyLibc({
  unshare: { arguments: ['int32'], return: 'int32' },
  fchdir: { arguments: ['int32'], return: 'int32' },
  chdir: { arguments: ['pointer'], return: 'int32' },
})

let hasOwnFolder: boolean | undefined

/**
 * Calls `work` with the prefix for the names in a folder. In a worker thread on Linux, an open folder becomes the working
 * folder of this thread meanwhile, and the prefix is empty: the system then finds a name in 2 µs, and in 4.5 µs through
 * `/proc`. `work` may only make synchronous calls, because the thread pool has another working folder.
 *
 * @param address the path of the folder for system calls: `/proc/self/fd/<number>` for an open one
 */
export function inFolder<T>(address: string, work: (prefix: string) => T): T {
  const isInside = enter(address)
  try {
    return work(isInside ? '' : `${address}/`)
  } finally {
    // The disk of a working folder cannot be unmounted.
    if (isInside) load()?.chdir(topFolder)
  }
}

function enter(address: string): boolean {
  const [, fd] = /^\/proc\/self\/fd\/(\d+)$/.exec(address) ?? []
  const libc = fd === undefined || isMainThread ? undefined : load()
  if (!libc) return false
  hasOwnFolder ??= libc.unshare(cloneFs) === 0
  return hasOwnFolder && libc.fchdir(Number(fd)) === 0
}
