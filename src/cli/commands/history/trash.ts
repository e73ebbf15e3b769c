import { onState } from '#src/cli/parsing/run-call.ts'
import type { Rebuilt } from '#src/kept/records/rebuild.ts'
import { jsonFlag, type Subcommand } from '../../parsing/subcommand.ts'
import { printResult, visible } from '../../parsing/table.ts'

const listed = 1000

/** The commands of the trash. They work while the server runs and when it does not. */
export const trashCommands: Readonly<Record<string, Subcommand>> = {
  'trash list': {
    sentence: `Lists the entries of the trash of all users, the newest first, at most ${listed}.`,
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => {
      const found = await call('trash/list', { limit: listed })
      const lines = found.entries.map(({ deleted, by, size, path, isDir }) =>
        [
          deleted,
          size === null ? '-' : String(size),
          visible(by || '-'),
          visible(path) + (isDir ? '/' : ''),
        ].join('  '),
      )
      const toText = () => [...lines, `${found.total} entries, ${found.size} bytes`].join('\n')
      printResult(args, terminal, { value: found, toText })
    }),
  },
  'trash empty': {
    sentence: 'Deletes all entries of the trash permanently, of all users. Old contents of files stay.',
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => {
      const result = await call('trash/empty', {})
      const left = result.left > 0 ? ` ${result.left} are on disks that are not there now.` : ''
      printResult(args, terminal, {
        value: result,
        toText: () => `${result.deleted} entries were deleted.${left}`,
      })
    }),
  },
  'trash rebuild': {
    sentence:
      'Finds the entries of the trash and the old contents of files again, from the records beside them. For a history that was lost.',
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => {
      const result = await call('trash/rebuild', {})
      printResult(args, terminal, { value: result, toText: () => textOf(result) })
    }),
  },
}

function textOf({ found, added, withoutRecord, removed }: Rebuilt): string {
  const lines = [`${found} items were found, and ${added} of them were missing in the history.`]
  if (withoutRecord > 0)
    lines.push(
      `${withoutRecord} have no record: their names and their places are unknown, and they are in the root folder.`,
    )
  if (removed > 0)
    lines.push(`${removed} items of the history do not exist any more, and were removed from it.`)
  return lines.join('\n')
}
