// npm run build: builds the web bundle, then the executable that contains it. `--web` builds only the web bundle.
import { buildExecutable } from './scripts/build/executable.ts'
import { buildWeb } from './scripts/build/web.ts'

await buildWeb()
if (!process.argv.includes('--web')) await buildExecutable()
