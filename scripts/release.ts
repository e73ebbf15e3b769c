// npm run release: builds the executables of all platforms, with checksums, licences and a list of what is in them.
// npm run release -- PLATFORM…: builds only these, such as linux-arm64.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { version } from '#src/core/version.ts'
import { bundle, licences } from './build/bundle.ts'
import { buildWeb } from './build/web.ts'
import { writeChecksums } from './release/checksums.ts'
import { buildPlatform } from './release/executables.ts'
import { lockedPackages } from './release/npm-packages.ts'
import { platforms } from './release/platforms.ts'
import { sbom } from './release/sbom.ts'

const folder = path.resolve('bin/release')
const names = process.argv.slice(2)
const unknown = names.find((name) => !platforms.some((platform) => platform.name === name))
if (unknown !== undefined) {
  console.error(`There is no platform ${unknown}: use ${platforms.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
const chosen = platforms.filter(({ name }) => names.length === 0 || names.includes(name))

await buildWeb()
const parts = await bundle()
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const platform of chosen) {
  console.log(`\n${path.basename(await buildPlatform(parts, platform, folder))}`)
}
const addons = chosen.flatMap((platform) => platform.addons)
const packages = [...parts.packages, ...addons.map((addon) => `node_modules/${addon.package}`)]
const { versions } = process
await writeFile(
  path.join(folder, `coffer-${version}.cdx.json`),
  sbom({ version, packages, locked: await lockedPackages(), versions }),
)
await copyFile(licences, path.join(folder, `coffer-${version}-licences.txt`))
await writeChecksums(folder)
console.log(`\nThe release is in ${path.relative('.', folder)}.`)
