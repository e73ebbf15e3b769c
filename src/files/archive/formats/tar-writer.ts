import type { Output } from '#src/files/archive/compression/output.ts'
import { tarEnd, tarHeader, tarPadding } from './tar-header.ts'
import type { Writer } from './writer.ts'

/** Writes a tar archive to an output, which may compress it. */
export function createTarWriter(next: Output): Writer {
  return {
    format: 'tar',
    writePacked: (bytes) => next.write(bytes),
    async writeLarge(facts, readContent) {
      await next.write(tarHeader(facts))
      await readContent({ write: (piece) => next.write(piece) })
      await next.write(tarPadding(facts.size))
    },
    async writeText(entry, content) {
      const facts = { entry, size: content.length, mtimeMs: Date.now(), mode: 0o644 }
      await next.write(Buffer.concat([tarHeader(facts), content, tarPadding(content.length)]))
    },
    async end() {
      await next.write(tarEnd)
      await next.end()
    },
    stop: () => next.stop(),
  }
}
