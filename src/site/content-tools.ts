import type { Principal } from '#src/access/principal.ts'
import type { Entries } from '#src/entries/entries.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import { openFile } from '#src/entries/open.ts'
import { createWriter, sourceOf, type WriterOptions } from '#src/entries/write.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ContentTools } from './publishing/undraft.ts'

/** What reading and writing content files needs from the other services. */
export interface ContentSources extends WriterOptions {
  entries: Pick<Entries, 'upload'>
}

/**
 * Creates the functions that read and write content files. Publishing a draft needs the permission to publish, not the
 * one to modify, and runs the commands bound to publishing, not those bound to saving. A new page is uploaded like any
 * other file.
 */
export function createContentTools(sources: ContentSources): Pick<ContentTools, 'open' | 'save'> & {
  create(person: Principal, path: UserPath, bytes: Buffer): Promise<unknown>
} {
  const { files, entries } = sources
  const hooks: Hooks = {
    ...sources.hooks,
    before: async () => {},
    after: async () => {},
  }
  const write = createWriter({ ...sources, hooks })
  return {
    open: (person, path) =>
      openFile(files, person, { path, verb: 'look', signal: () => new AbortController().signal }),
    save: (person, path, upload) =>
      write(person, path, { ...upload, event: 'save', overwrite: true, verbFor: () => 'look' }),
    create: (person, path, bytes) =>
      entries.upload(person, path, {
        override: false,
        source: sourceOf(bytes),
        isMadeHere: true,
        signal: new AbortController().signal,
      }),
  }
}
