// node scripts/with-node.mjs file.ts [arguments]: installs packages if needed, then runs the file with our own Node.
import { install, ourNode, run } from './install.mjs'

await install()
process.exitCode = await run(ourNode(), process.argv.slice(2))
