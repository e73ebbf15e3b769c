// The first script of the executable. It runs the bundle of the server (`cli/main.ts`) with code that the build has
// compiled. The code cache of Node contains only what V8 compiles before anything runs. This one also contains the
// functions that a start and a first request call.
import sea from 'node:sea'
import { Script } from 'node:vm'

const source = Buffer.from(sea.getRawAsset('server.js')).toString('latin1')
// Missing in executables for other platforms.
const cachedData = sea.getAssetKeys().includes('server.cache')
  ? Buffer.from(sea.getRawAsset('server.cache'))
  : undefined
// V8 compiles the source itself if it does not accept the cached code.
const script = new Script(source, { filename: 'coffer.js', ...(cachedData && { cachedData }) })
globalThis.hasCompiledCode = script.cachedDataRejected === false
script.runInThisContext()(require, __dirname)
