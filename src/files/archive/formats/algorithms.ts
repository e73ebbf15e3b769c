import type { ArchiveAlgorithm } from '#contract/resources.ts'
import { bzip2MaxBytes } from '#src/files/archive/codecs/bzip2.ts'
import { lz4EndMark, lz4FrameHeader, lz4MaxBlockBytes } from '#src/files/archive/codecs/lz4.ts'
import { xzMaxBytes } from '#src/files/archive/codecs/xz.ts'
import { brotliOutput } from '#src/files/archive/compression/brotli-output.ts'
import type { CompressionThreads, Output } from '#src/files/archive/compression/output.ts'
import { type BlockFormat, blocksOutput, gzipOutput } from './tar-output.ts'
import { createTarWriter } from './tar-writer.ts'
import type { Writer } from './writer.ts'
import { createZipWriter } from './zip-writer.ts'

/** One archive format. */
export interface ArchiveFormat {
  /** The file name extension. */
  suffix: string
  mediaType: string
  /** Creates a writer that writes the archive to `next`. */
  open(next: Output, compression: CompressionThreads): Writer
}

const mebibyte = 1024 * 1024

function framed(suffix: string, mediaType: string, frame: BlockFormat): ArchiveFormat {
  return {
    suffix,
    mediaType,
    open: (next, compression) => createTarWriter(blocksOutput(next, compression, frame)),
  }
}

/** All archive formats (contract/compatibility.md#downloads-and-archives). */
export const archiveFormats: Record<ArchiveAlgorithm, ArchiveFormat> = {
  zip: { suffix: '.zip', mediaType: 'application/zip', open: createZipWriter },
  tar: { suffix: '.tar', mediaType: 'application/x-tar', open: (next) => createTarWriter(next) },
  targz: {
    suffix: '.tar.gz',
    mediaType: 'application/gzip',
    open: (next, compression) => createTarWriter(gzipOutput(next, compression)),
  },
  tarbz2: framed('.tar.bz2', 'application/x-bzip2', { codec: 'bzip2', blockBytes: bzip2MaxBytes }),
  tarxz: framed('.tar.xz', 'application/x-xz', { codec: 'xz', blockBytes: xzMaxBytes }),
  tarlz4: framed('.tar.lz4', 'application/x-lz4', {
    codec: 'lz4',
    blockBytes: lz4MaxBlockBytes,
    head: lz4FrameHeader,
    tail: lz4EndMark,
  }),
  tarsz: framed('.tar.sz', 'application/x-snappy-framed', { codec: 'snappy', blockBytes: mebibyte }),
  tarzst: framed('.tar.zst', 'application/zstd', { codec: 'zstd', blockBytes: mebibyte }),
  tarbr: {
    suffix: '.tar.br',
    mediaType: 'application/x-brotli',
    open: (next) => createTarWriter(brotliOutput(next)),
  },
}
