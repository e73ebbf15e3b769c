import { createHash } from 'node:crypto'
import type { LockedPackage } from './npm-packages.ts'

// Not `@cyclonedx/cyclonedx-library` 10.3 (7 MB): it would replace only the types and the serialization. What is inside
// the executables, with the hashes and dependencies of the lock, would still be collected here.

/** A component in CycloneDX JSON. */
interface Component {
  readonly type: 'application' | 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly group?: string
  readonly version: string
  readonly purl?: string
  readonly cpe?: string
  readonly licenses?: readonly { readonly expression: string }[]
  readonly hashes?: readonly { readonly alg: 'SHA-512' | 'SHA-256'; readonly content: string }[]
  readonly components?: readonly Component[]
}

/** The input of `sbom`. */
export interface Inventory {
  readonly version: string
  /** The folders of the npm packages whose code is inside, such as `node_modules/fastify`. */
  readonly packages: readonly string[]
  readonly locked: ReadonlyMap<string, LockedPackage>
  /** The versions of Node and of the libraries in it: `process.versions`. */
  readonly versions: Readonly<Record<string, string | undefined>>
  /** More components, such as the packages of Debian in the image. */
  readonly others?: readonly Component[]
}

/**
 * Returns the software bill of materials in CycloneDX JSON: everything in the executables, with versions, licences and
 * hashes. It has no time, so that two builds of the same version write the same bytes.
 */
export function sbom({ version, packages, locked, versions, others = [] }: Inventory): string {
  const ours = ref('coffer', version)
  const parts = new Map(packages.map((folder) => [folder, npmComponent(folder, locked)]))
  const runtime = nodeComponent(versions)
  const components = [...parts.values(), runtime, ...others]
  const dependencies = [...parts].map(([folder, part]) => ({
    ref: part['bom-ref'],
    dependsOn: dependenciesOf(folder, { parts, locked }),
  }))
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ours,
        name: 'coffer',
        version,
        licenses: [{ expression: 'Apache-2.0' }],
      },
    },
    components,
    dependencies: [
      { ref: ours, dependsOn: [...new Set(components.map((part) => part['bom-ref']))] },
      ...dependencies,
    ],
  }
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  return `${JSON.stringify({ ...document, serialNumber: `urn:uuid:${uuidOf(digest)}` }, undefined, 2)}\n`
}

/** A component for a package of Debian. `hash` is the SHA-256 hash of its file. */
export function debianComponent(name: string, version: string, arch: string, hash: string): Component {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}`
  const hashes = [{ alg: 'SHA-256' as const, content: hash }]
  return { type: 'library', 'bom-ref': purl, name, version, purl, hashes }
}

function npmComponent(folder: string, locked: ReadonlyMap<string, LockedPackage>): Component {
  const entry = locked.get(folder)
  if (!entry) throw new Error(`package-lock.json has no ${folder}: install with npm ci.`)
  const fullName = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const [group, name] = fullName.startsWith('@') ? fullName.split('/') : [undefined, fullName]
  return {
    type: 'library',
    'bom-ref': `${ref(fullName, entry.version)}|${folder}`,
    ...(group && { group }),
    name: name ?? fullName,
    version: entry.version,
    purl: `pkg:npm/${fullName.replace('@', '%40')}@${entry.version}`,
    ...(entry.license && { licenses: [{ expression: entry.license }] }),
    hashes: [{ alg: 'SHA-512', content: hexOf(entry.integrity) }],
  }
}

/** Node, and the libraries in it, for which there may be security advisories of their own. */
function nodeComponent(versions: Inventory['versions']): Component {
  const { node = '', ...libraries } = versions
  // The versions of interfaces and of tables, which are no libraries.
  const notLibraries = new Set(['modules', 'napi', 'unicode', 'cldr', 'tz'])
  const inside = Object.entries(libraries).flatMap(([name, version]) =>
    version === undefined || notLibraries.has(name)
      ? []
      : [{ type: 'library' as const, 'bom-ref': ref(`node/${name}`, version), name, version }],
  )
  return {
    type: 'application',
    'bom-ref': ref('node', node),
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    licenses: [{ expression: 'MIT' }],
    components: inside,
  }
}

/** The references of the packages that a package depends on and that are inside, too. */
function dependenciesOf(
  folder: string,
  { parts, locked }: { parts: ReadonlyMap<string, Component>; locked: ReadonlyMap<string, LockedPackage> },
): string[] {
  const { dependencies = {}, peerDependencies = {} } = locked.get(folder) ?? {}
  return Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => {
    const found = placesOf(folder, name).find((place) => locked.has(place))
    const part = found === undefined ? undefined : parts.get(found)
    return part ? [part['bom-ref']] : []
  })
}

/** Where Node looks for `name` from a package: in the package, then in each folder above it. */
function placesOf(folder: string, name: string): string[] {
  const above = folder.lastIndexOf('/node_modules/')
  const own = `${folder}/node_modules/${name}`
  return above === -1 ? [own, `node_modules/${name}`] : [own, ...placesOf(folder.slice(0, above), name)]
}

function ref(name: string, version: string): string {
  return `${name}@${version}`
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
}

/** A UUID of version 8 (RFC 9562), made from a hash. */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}
