// node scripts/with-node.mjs file.ts [arguments]: runs a TypeScript file with our own Node. Installs packages if
// needed.
import { install, ourNode, run } from './install.mjs'

await install()
process.exitCode = await run(ourNode(), process.argv.slice(2))
