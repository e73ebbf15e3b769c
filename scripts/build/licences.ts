import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Metafile } from 'esbuild'
import { addons } from './addons.ts'

/** Packages in the executable that are not in the bundles. */
const others = addons.map(({ module }) => `node_modules/${module}`)

/** Returns the folders of all packages with files in the bundles, and of those that are embedded, sorted. */
export function packageFolders(bundles: readonly Metafile[]): string[] {
  const inputs = bundles.flatMap(({ inputs }) => Object.keys(inputs))
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  return [...new Set([...folders, ...others])].sort()
}

/** Returns one text with the licence of Coffer, those of these packages, and that of Node. */
export async function licencesOf(packages: readonly string[]): Promise<string> {
  const parts = packages.map(packageLicence)
  const ours = await readFile('LICENSE', 'utf8')
  const nodes = await readFile(path.resolve(process.execPath, '../../LICENSE'), 'utf8')
  const line = '='.repeat(80)
  return [`Coffer\n\n${ours}`, ...(await Promise.all(parts)), `Node.js\n\n${nodes}`].join(`\n${line}\n\n`)
}

async function packageLicence(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const file = (await readdir(folder)).sort().find((each) => /^(licen[cs]e|copying)/i.test(each))
  const text = file ? await readFile(`${folder}/${file}`, 'utf8') : ''
  return `${name} ${version} (${license})\n\n${text}`
}
