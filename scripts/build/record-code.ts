// node record-code.ts BUNDLE ASSETS OUTPUT [arguments of coffer]: runs the bundle as the executable does, and stops the
// server when the standard input ends. Then writes the code that V8 has compiled to OUTPUT. ASSETS is a JSON file with
// the paths of the embedded files.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Script } from 'node:vm'

const [bundle = '', assetsFile = '', output = '', ...args] = process.argv.slice(2)
const assets: Record<string, string> = JSON.parse(readFileSync(assetsFile, 'utf8'))
const require = createRequire(import.meta.url)

// Stands in for `node:sea`, which answers only inside the executable.
const sea = {
  isSea: () => true,
  getAssetKeys: () => Object.keys(assets),
  getRawAsset(name: string) {
    const { buffer, byteOffset, byteLength } = readFileSync(assets[name] ?? '')
    return buffer.slice(byteOffset, byteOffset + byteLength)
  },
}

const source = readFileSync(bundle, 'latin1')
const script = new Script(source, { filename: 'coffer.js' })
process.on('exit', () => {
  const cachedData = script.createCachedData()
  if (new Script(source, { filename: 'coffer.js', cachedData }).cachedDataRejected)
    throw new Error('V8 rejects the code that it has compiled')
  writeFileSync(output, cachedData)
})
process.stdin.on('end', () => process.emit('SIGTERM', 'SIGTERM')).resume()
process.argv = [process.execPath, process.execPath, ...args]
script.runInThisContext()((name: string) => (name === 'node:sea' ? sea : require(name)), path.dirname(bundle))
