import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { version } from '#src/core/version.ts'
import type { AddonFiles } from '../build/addons.ts'
import { type Bundle, work } from '../build/bundle.ts'
import { makeExecutable } from '../build/executable.ts'
import { listSegmentWithoutFixups } from './mach-o-fixups.ts'
import { signAdHoc } from './mach-o-signature.ts'
import { fileOfPackage } from './npm-packages.ts'
import { dropSignature } from './pe-signature.ts'
import { executableName, type Platform } from './platforms.ts'
import { verifyExecutable } from './verify.ts'

/**
 * Builds the executable of a release for one platform. Two builds of the same sources write the same bytes: unlike
 * `bin/coffer`, it has no compiled code inside, which differs at each build and which other platforms cannot use.
 *
 * @returns the path of the executable
 */
export async function buildPlatform(parts: Bundle, platform: Platform, folder: string): Promise<string> {
  const output = path.join(folder, executableName(platform, version))
  const node = await fileOf(platform.node)
  const files = platform.addons.map(async (addon) => [addon.name, await fileOf(addon)] as const)
  const addons = Object.fromEntries(await Promise.all(files)) as AddonFiles
  await makeExecutable(parts, { ...platform, node, addons }, { output })
  if (platform.platform !== 'linux') await writeFile(output, adapted(await readFile(output), platform))
  await verifyExecutable(output, platform, [
    parts.main,
    ...Object.values(addons),
    ...Object.values(parts.assets),
  ])
  return output
}

/** Makes the changes that a system expects after files were embedded. */
function adapted(program: Buffer, { platform }: Platform): Buffer {
  if (platform === 'win32') {
    dropSignature(program)
    return program
  }
  listSegmentWithoutFixups(program, 'NODE_SEA')
  return signAdHoc(program, 'coffer')
}

/** Finds a file of a package that npm installed for this machine. Otherwise downloads the package. */
async function fileOf({ package: name, file }: Platform['node']): Promise<string> {
  const installed = path.resolve('node_modules', name, file)
  return existsSync(installed) ? installed : fileOfPackage(name, file, path.join(work, 'packages'))
}
