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

function load<const Signatures extends FunctionDefinitions>(signatures: Signatures) {
  try {
    return withoutWarnings(
      () => createRequire(import.meta.url)('node:ffi') as typeof import('node:ffi'),
    ).dlopen(null, signatures).functions
  } catch {
    return null
  }
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
