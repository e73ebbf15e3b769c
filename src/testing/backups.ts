import { readFileSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { extract, type Header, pack } from 'tar-stream'
import { sha256, sumsOf } from '#src/backup/archive/manifest.ts'

/** An entry of an archive. The content is empty for links and folders. */
export interface TarEntry extends Partial<Header> {
  name: string
  content?: string | Buffer
}

/** Returns a tar archive with these entries. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const archive = pack()
  for (const { content = '', ...header } of entries) {
    if (header.type !== undefined && header.type !== 'file') archive.entry(header)
    else archive.entry({ ...header, size: Buffer.byteLength(content) }, content)
  }
  archive.finalize()
  return buffer(archive as AsyncIterable<Buffer>)
}

/** Returns the entries of an archive. */
export async function entriesOf(archive: Buffer): Promise<{ name: string; content: Buffer }[]> {
  const reader = extract()
  reader.end(archive)
  const entries: { name: string; content: Buffer }[] = []
  for await (const entry of reader)
    entries.push({ name: entry.header.name, content: await buffer(entry as AsyncIterable<Buffer>) })
  return entries
}

/** A file of a backup under construction. */
export interface PlainFile {
  part: string
  name: string
  content: string
}

/** Returns a backup with these files, whose checksums are right. `manifest` replaces fields of the manifest. */
export function backupOf(files: readonly PlainFile[], manifest: object = {}): Promise<Buffer> {
  const listed = files.map(({ part, name, content }) => ({
    ...{ part, name, size: Buffer.byteLength(content), sha256: sha256(content) },
  }))
  const root = { dev: 1, ino: 1, birth: 1 }
  const about = { format: 1, coffer: '0.0.1', created: '2026-01-01T00:00:00Z', root, left: [], files: listed }
  const text = JSON.stringify({ ...about, ...manifest })
  const sums = sumsOf(Buffer.from(text), listed)
  return tarOf([{ name: 'manifest.json', content: text }, ...files, { name: 'SHA256SUMS', content: sums }])
}

/** Changes the state in the backup `file`, and corrects the checksums. */
// biome-ignore lint/suspicious/noExplicitAny: tests make states that no type allows
export async function changeState(file: string, edit: (state: any) => void): Promise<void> {
  const entries = await entriesOf(readFileSync(file))
  const files = entries.slice(1, -1).map(({ name, content }) => {
    const part = name.replace(/[./].*$/s, '')
    if (part !== 'state') return { part, name, content: content.toString() }
    const state = JSON.parse(content.toString())
    edit(state)
    return { part, name, content: JSON.stringify(state) }
  })
  writeFileSync(file, await backupOf(files, { root: JSON.parse(String(entries[0]?.content)).root }))
}
