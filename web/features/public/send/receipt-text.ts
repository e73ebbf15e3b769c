import type { Received } from '#contract/shares.ts'

/**
 * The receipt as a text: a line for each file with its SHA-256, path and size, in the order of `sha256sum`. A file that is
 * held may have no SHA-256.
 */
export function receiptText(files: readonly Received[], title: string): string {
  const lines = files.map(
    ({ path, size, sha256 }) => `${sha256 || '-'}  ${path.replace(/^\//, '')}  (${size} bytes)`,
  )
  return [title, new Date().toISOString(), '', ...lines, ''].join('\n')
}
