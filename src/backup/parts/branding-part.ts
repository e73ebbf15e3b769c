import type { BrandingFiles } from '#src/branding/branding-files.ts'
import type { Store } from '#src/state/store.ts'
import { type BackupFile, isPlainName, sha256, unusable } from '../archive/manifest.ts'
import type { Content } from '../archive/write-backup.ts'
import type { Part } from './part.ts'

const prefix = 'branding/'
const limit = { files: 500, each: 5 * 1024 ** 2, all: 256 * 1024 ** 2 }

const advice = 'make it readable and its folder writable for the server, or add --without-branding'

interface Note {
  folder: string
  files: { path: string; copy: string }[]
}

type Changes = Record<'added' | 'replaced' | 'same', string[]>

/**
 * The files of the branding folder that Coffer serves. A restore writes them into the branding folder of the restored
 * settings. Other files in that folder stay.
 */
export function createBrandingPart({
  store,
  branding,
}: {
  store: Pick<Store, 'settings'>
  branding: BrandingFiles
}): Part {
  async function kindOf(folder: string, file: BackupFile): Promise<keyof Changes> {
    const present = await branding.find(folder, pathOf(file))
    if (!present) return 'added'
    return sha256(present) === file.sha256 ? 'same' : 'replaced'
  }

  return {
    limit,
    isName: (name) => name.startsWith(prefix) && branding.isServed(`/${name.slice(prefix.length)}`),

    async collect() {
      const folder = (await store.settings.get()).branding.files
      if (!folder) return { contents: [] }
      return fitting(await branding.list(folder), (path) => branding.read(folder, path))
    },

    async check({ files, options, after }) {
      const folder = after.settings.branding.files
      if (files.length === 0 || options.withoutBranding) return { note: undefined, summary: {}, lines: [] }
      if (!folder) throw unusable('it has branding files, but no branding folder in its settings')
      const changes: Changes = { added: [], replaced: [], same: [] }
      for (const file of files) {
        const kind = await kindOf(folder, file)
        changes[kind].push(pathOf(file))
        if (kind !== 'same') await branding.checkWritable(folder, pathOf(file), advice)
      }
      const changed = files.filter((file) => !changes.same.includes(pathOf(file)))
      const note: Note = { folder, files: changed.map((file) => ({ path: pathOf(file), copy: file.copy })) }
      return {
        note,
        summary: { folder, ...changes },
        lines: changed.length === 0 ? [] : [`branding files in ${folder}: ${namesOf(changes)}`],
      }
    },

    async finish(note, read) {
      const { folder, files } = note as Note
      for (const { path, copy } of files) await branding.write(folder, path, await read(copy))
    },
  }
}

/** Leaves out what a backup cannot contain. */
function fitting(
  { files, left }: Awaited<ReturnType<BrandingFiles['list']>>,
  read: (path: string) => AsyncIterable<Uint8Array>,
): { contents: Content[]; left: string[] } {
  const result = { contents: [] as Content[], left: [...left] }
  let room = limit.all
  for (const { path, size } of files) {
    const name = `${prefix}${path.slice(1)}`
    const isFit = isPlainName(name) && size <= Math.min(limit.each, room)
    if (isFit && result.contents.length < limit.files) {
      room -= size
      result.contents.push({ name, read: () => read(path) })
    } else
      result.left.push(
        `The branding file ${path} is not in the backup: its name or its size is not possible.`,
      )
  }
  return result
}

/** The path in the branding folder. */
function pathOf({ name }: Pick<BackupFile, 'name'>): string {
  return `/${name.slice(prefix.length)}`
}

function namesOf({ added, replaced }: Changes): string {
  return [...replaced.map((path) => `${path} (replaced)`), ...added].join(', ')
}
