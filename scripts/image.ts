// npm run image: builds an image for containers, for this machine. `npm run image -- arm64` is for another architecture.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { version } from '#src/core/version.ts'
import { bundle, licences, work } from './build/bundle.ts'
import { buildWeb } from './build/web.ts'
import { debianArch } from './image/debian.ts'
import { buildImage } from './image/image.ts'
import { writeChecksums } from './release/checksums.ts'
import { buildPlatform } from './release/executables.ts'
import { lockedPackages } from './release/npm-packages.ts'
import { platforms } from './release/platforms.ts'
import { debianComponent, sbom } from './release/sbom.ts'

const folder = path.resolve('bin/release')
const [name = process.arch] = process.argv.slice(2)
const arch = (['x64', 'arm64'] as const).find((each) => each === name || debianArch[each] === name)
const platform = platforms.find((each) => each.platform === 'linux' && each.arch === arch)
if (!arch || !platform) {
  console.error(`There is no image for ${name}: use x64 or arm64.`)
  process.exit(2)
}

await buildWeb()
const parts = await bundle()
await mkdir(folder, { recursive: true })
const executable = await buildPlatform(parts, platform, work)
const output = path.join(folder, `coffer-${version}-image-${debianArch[arch]}.tar`)
const packages = await buildImage({
  version,
  arch,
  executable,
  licences,
  work: path.join(work, 'image'),
  output,
  level: 9,
  isCacheEnough: false,
})
const inside = [...parts.packages, ...platform.addons.map((addon) => `node_modules/${addon.package}`)]
const others = packages.map((each) => debianComponent(each.name, each.version, debianArch[arch], each.sha256))
await writeFile(
  output.replace(/\.tar$/, '.cdx.json'),
  sbom({ version, packages: inside, locked: await lockedPackages(), versions: process.versions, others }),
)
await writeChecksums(folder)
console.log(`\n${path.relative('.', output)}: load it with docker load -i or podman load -i.`)
