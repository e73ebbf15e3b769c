// npm run build: the web bundle, then the executable around it. `--web` stops after the first.
import { buildExecutable } from './scripts/build/executable.ts'
import { buildWeb } from './scripts/build/web.ts'

await buildWeb()
if (!process.argv.includes('--web')) await buildExecutable()
