import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Mutation } from './mutation.ts'
import { run } from './run-tests.ts'

/** A copy of the checkout in which one fault at a time is put. */
export interface Copy {
  folder: string
  /** Puts a fault into the copy, and builds the page if the fault is in it. @throws when the page cannot be built. */
  apply(mutation: Mutation): Promise<void>
  /** Takes the fault out of the copy again. */
  restore(): Promise<void>
  remove(): Promise<void>
}

const buildLimitMs = 10 * 60_000

/**
 * Copies all files that belong to the checkout to a temporary folder and builds the page there. A kill leaves the
 * checkout as it was. The packages are shared through symbolic links.
 */
export async function copyCheckout(): Promise<Copy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'coffer-mutations-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    await fill(folder)
  } catch (error) {
    await remove()
    throw error
  }
  const page = path.join(folder, 'web/dist')
  const goodPage = path.join(folder, 'web/dist-without-fault')
  let faulty: { file: string; text: string } | undefined

  async function restore(): Promise<void> {
    if (faulty) await writeFile(faulty.file, faulty.text)
    faulty = undefined
    if (!existsSync(goodPage)) return
    await rm(page, { recursive: true, force: true })
    await rename(goodPage, page)
  }

  return {
    folder,
    restore,
    remove,

    async apply({ file, find, replace }) {
      const place = path.join(folder, file)
      const text = await readFile(place, 'utf8')
      faulty = { file: place, text }
      // A function, because `$` in a text to insert has a meaning of its own.
      await writeFile(
        place,
        text.replace(find, () => replace),
      )
      if (!file.startsWith('web/')) return
      await rename(page, goodPage)
      await buildPage(folder)
    },
  }
}

async function fill(folder: string): Promise<void> {
  // Some tests run a server as another user of the system.
  await chmod(folder, 0o755)
  for (const file of ownFiles()) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
    await cp(file, path.join(folder, file))
  }
  await sharePackages(path.join(folder, 'node_modules'))
  await buildPage(folder)
}

/** Links all packages. The folder of caches is not shared: code with a fault in it must not reach the checkout. */
async function sharePackages(folder: string): Promise<void> {
  await mkdir(folder)
  for (const name of await readdir('node_modules')) {
    if (name !== '.cache') await symlink(path.resolve('node_modules', name), path.join(folder, name))
  }
}

/** The files that git knows, and new ones. Without those that were deleted. */
function ownFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return list.split('\0').filter((file) => file !== '' && existsSync(file))
}

async function buildPage(folder: string): Promise<void> {
  const { code, output } = await run(folder, ['build.ts', '--web'], { limitMs: buildLimitMs })
  if (code !== 0) throw new Error(`the page cannot be built:\n${output}`)
}
