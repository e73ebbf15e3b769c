import type { FileModes } from '#src/access/modes.ts'
import type { Records } from '#src/core/storage/records.ts'
import type { Change } from '#src/files/changes/change.ts'
import { openFolderDraft } from '#src/files/writing/replace-folder.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import type { Generator, GeneratorResult } from '#src/site/website/generator.ts'
import { noteSwapIn, type SiteRecord } from '#src/site/website/site-records.ts'
import type { Website } from '#src/site/website/website.ts'

/** What building needs. */
export interface BuildTools {
  generator: Generator
  records: Records<SiteRecord>
  parts: TempFileJournal
  modes: () => FileModes
  /** Aborts when the server closes. */
  signal: AbortSignal
}

/**
 * Builds the site beside the public folder, and replaces that folder if the generator succeeds and the result can be
 * published: it is not empty, and has no links, because web servers follow them to any file of the machine.
 *
 * @param change the operation that publishes; undoing it puts the replaced folder back
 */
export async function buildSite(
  { generator, records, parts, modes, signal }: BuildTools,
  { jail, settings, real: root, public: path }: Website,
  change: Change,
): Promise<GeneratorResult> {
  await using draft = await openFolderDraft({ jail, parts }, path, modes().dirMode)
  const args = ['--source', root, '--destination', draft.real]
  const result = await generator.run({
    site: settings,
    root,
    output: draft.real,
    args,
    isBuild: true,
    signal,
  })
  if (!result.isOk) return result
  const fault = await draft.fault()
  if (fault !== undefined)
    return { ...result, isOk: false, output: `${result.output}\nThe generator ${fault}.`.trim() }
  await draft.replace({ keepsOld: !settings.CleanPublic, note: noteSwapIn(records), change })
  return result
}
