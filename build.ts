import { buildWeb } from './scripts/build/web.ts'

await buildWeb()
