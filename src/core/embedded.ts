import sea from 'node:sea'

/** Whether this process is the one-file executable, which carries its files inside. */
export const isExecutable = sea.isSea()

/**
 * The bytes of a file that lies inside the executable; undefined when there is none of that name, and always when we run
 * from the source tree. The bytes are the executable's own mapped pages: they cost no memory of ours, and writing to them
 * ends the process.
 */
export function embedded(name: string): Buffer | undefined {
  if (!isExecutable || !embeddedNames().includes(name)) return
  return Buffer.from(sea.getRawAsset(name) as ArrayBuffer)
}

let names: readonly string[] | undefined

/** The names of all files inside the executable; empty when we run from the source tree. */
export function embeddedNames(): readonly string[] {
  names ??= isExecutable ? sea.getAssetKeys() : []
  return names
}
