import type { ArchiveAlgorithm } from '#contract/resources.ts'

/** The archive formats of the server, in the order in which they are offered, with their file extensions. */
export const archiveFormats: readonly (readonly [ArchiveAlgorithm, string])[] = [
  ['zip', '.zip'],
  ['tar', '.tar'],
  ['targz', '.tar.gz'],
  ['tarbz2', '.tar.bz2'],
  ['tarxz', '.tar.xz'],
  ['tarlz4', '.tar.lz4'],
  ['tarsz', '.tar.sz'],
  ['tarzst', '.tar.zst'],
  ['tarbr', '.tar.br'],
]
