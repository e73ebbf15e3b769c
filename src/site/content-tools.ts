import type { Principal } from '#src/access/principal.ts'
import type { openFile } from '#src/entries/open.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Hooks } from '#src/hooks/hooks.ts'
import type { Resources } from '#src/resources/resources.ts'
import type { createResourceWriter, ResourceWriterOptions } from '#src/resources/write-resource.ts'
import type { ContentTools } from './publishing/undraft.ts'

/** What reading and writing content files needs from the other services. */
export interface ContentSources extends ResourceWriterOptions {
  resources: Resources
  openFile: typeof openFile
  createResourceWriter: typeof createResourceWriter
}

/**
 * Creates the functions that read and write content files. Publishing a draft needs the permission to publish, not the
 * one to modify, and runs the commands bound to publishing, not those bound to saving. A new page is uploaded like any
 * other file.
 */
export function createContentTools(sources: ContentSources): Pick<ContentTools, 'open' | 'save'> & {
  create(person: Principal, path: UserPath, bytes: Buffer): Promise<unknown>
} {
  const { files, resources } = sources
  const hooks: Hooks = {
    ...sources.hooks,
    before: async () => {},
    after: async () => {},
  }
  const write = sources.createResourceWriter({ ...sources, hooks })
  return {
    open: (person, path) =>
      sources.openFile(files, person, { path, verb: 'look', signal: () => new AbortController().signal }),
    save: (person, path, upload) =>
      write(person, path, { ...upload, event: 'save', overwrite: true, verbFor: () => 'look' }),
    create: (person, path, bytes) =>
      resources.upload(person, path, {
        override: false,
        fill: async (file) => {
          await file.writeFile(bytes)
          await file.datasync()
        },
      }),
  }
}
