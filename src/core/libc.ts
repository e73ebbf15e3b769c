import type { DynamicLibraryResult, FunctionDefinitions } from 'node:ffi'
import { createRequire } from 'node:module'

/**
 * Returns a function that loads these functions of libc at its first call. It returns undefined if they are not
 * available: on other systems than Linux, in another Node version, or in another libc.
 */
export function lazyLibc<const Signatures extends FunctionDefinitions>(
  signatures: Signatures,
): () => DynamicLibraryResult<Signatures>['functions'] | undefined {
  let functions: DynamicLibraryResult<Signatures>['functions'] | null | undefined
  return () => {
    if (functions === undefined) functions = process.platform === 'linux' ? load(signatures) : null
    return functions ?? undefined
  }
}

/**
 * Returns the address of the first of these bytes, for a structure with pointers. The caller keeps the buffer until libc no
 * longer uses the address. A buffer of at least 100 bytes is never moved. Only where `lazyLibc` found its functions.
 */
export function addressOf(bytes: Buffer): bigint {
  return ffi().getRawPointer(bytes)
}

function load<const Signatures extends FunctionDefinitions>(signatures: Signatures) {
  try {
    return ffi().dlopen(null, signatures).functions
  } catch {
    return null
  }
}

let loaded: typeof import('node:ffi') | undefined

function ffi(): typeof import('node:ffi') {
  loaded ??= withoutWarnings(() => createRequire(import.meta.url)('node:ffi') as typeof import('node:ffi'))
  return loaded
}

/** Node prints a warning that this module is experimental, which is no news for the operator of a server. */
function withoutWarnings<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}
