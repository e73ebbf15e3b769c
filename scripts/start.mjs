// npm start -- --root ~/files: installs what is missing, builds the pages if they changed, serves.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { install, ourNode, run } from './install.mjs'

await install()
if (!isBuilt()) {
  console.log('Building the web pages.')
  const code = await run(ourNode(), ['build.ts', '--web'])
  if (code !== 0) process.exit(code)
}
process.exitCode = await run(ourNode(), ['src/cli/main.ts', ...process.argv.slice(2)])

/** The bundle's account is written last: a build that was cut off has none. */
function isBuilt() {
  const account = 'web/dist/meta.json'
  if (!existsSync(account)) return false
  const built = statSync(account).mtimeMs
  const sources = ['web', 'locales', 'scripts/build'].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name)),
  )
  const relevant = sources.filter((file) => !file.startsWith(path.join('web', 'dist')))
  return [...relevant, 'build.ts', 'package-lock.json'].every((file) => statSync(file).mtimeMs < built)
}
