// npm start -- --root ~/files: installs missing packages, builds the web pages if they changed, starts the server.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { install, ourNode, run } from './install.mjs'

await install()
if (!isBuilt()) {
  console.log('Building the web page.')
  const code = await run(ourNode(), ['build.ts', '--web'])
  if (code !== 0) process.exit(code)
}
process.exitCode = await run(ourNode(), ['src/cli/main.ts', ...process.argv.slice(2)])

/** Whether the web build is up to date. `meta.json` is written last, so an aborted build has none. */
function isBuilt() {
  const metafile = 'web/dist/meta.json'
  if (!existsSync(metafile)) return false
  const built = statSync(metafile).mtimeMs
  const sources = ['web', 'locales', 'scripts/build'].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name)),
  )
  const relevant = sources.filter((file) => !file.startsWith(path.join('web', 'dist')))
  return [...relevant, 'build.ts', 'package-lock.json'].every((file) => statSync(file).mtimeMs < built)
}
