// Runs on any installed Node (20 or newer), before packages are installed. So it uses only built-in modules.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { ourNode, run } from './install.mjs'

/**
 * Whether a result of the build is missing, or older than one of its sources. Tests are no sources.
 *
 * @param folders the folders with the sources, besides the files of the build itself
 */
export function isStale(result, folders) {
  if (!existsSync(result)) return true
  const { mtimeMs } = statSync(result)
  const sources = [...folders, 'locales', 'scripts/build'].flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .map((file) => path.join(folder, file))
      .filter((file) => !/^web.dist|testing|\.test\.tsx?$/.test(file)),
  )
  return [...sources, 'build.ts', 'package-lock.json'].some((file) => statSync(file).mtimeMs > mtimeMs)
}

/** The file of the built page that is written last, so that an aborted build has none. */
export const builtPage = 'web/dist/meta.json'

/** Builds the page, unless it is up to date. Returns the exit code. */
export async function buildPage() {
  if (!isStale(builtPage, ['web', 'src/contract', 'src/manual'])) return 0
  console.log('Building the web page.')
  return run(ourNode(), ['build.ts', '--web'])
}
