// npm start -- --root ~/files: installs missing packages, builds the web pages if they changed, starts the server.
import { buildPage } from './built.mjs'
import { install, ourNode, run } from './install.mjs'

await install()
const code = await buildPage()
process.exitCode = code || (await run(ourNode(), ['src/cli/main.ts', ...process.argv.slice(2)]))
