import type { ArchiveAlgorithm } from '#contract/resources.ts'
import type { Crew, Output } from './output.ts'
import { framesOutput, gzipOutput } from './tar-output.ts'
import { createTarWriter } from './tar-writer.ts'
import type { Writer } from './writer.ts'
import { createZipWriter } from './zip-writer.ts'

/** One kind of archive. */
export interface Algorithm {
  /** What the file's name ends with. */
  suffix: string
  mediaType: string
  /** Makes the writer that fills `next`. */
  open(next: Output, crew: Crew): Writer
}

const mebibyte = 1024 * 1024

/** Every kind of archive (reference 4.2). */
export const algorithms: Record<ArchiveAlgorithm, Algorithm> = {
  zip: { suffix: '.zip', mediaType: 'application/zip', open: createZipWriter },
  tar: { suffix: '.tar', mediaType: 'application/x-tar', open: (next) => createTarWriter(next) },
  targz: {
    suffix: '.tar.gz',
    mediaType: 'application/gzip',
    open: (next, crew) => createTarWriter(gzipOutput(next, crew)),
  },
  tarzst: {
    suffix: '.tar.zst',
    mediaType: 'application/zstd',
    open: (next, crew) => createTarWriter(framesOutput(next, crew, { codec: 'zstd', blockBytes: mebibyte })),
  },
}
