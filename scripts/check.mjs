// npm run check: installs missing packages, builds the page if it has changed, and runs all static checks.
import { buildPage } from './built.mjs'
import { install, ourNode, run } from './install.mjs'

await install()
process.exitCode = (await buildPage()) || (await run(ourNode(), ['scripts/check.ts']))
