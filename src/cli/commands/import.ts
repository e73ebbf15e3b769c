import { StartupProblem } from '#src/core/problem.ts'
import { stateConfig } from '../parsing/arguments.ts'
import { jsonFlag, type Subcommand } from '../parsing/subcommand.ts'

/** `coffer import`: takes over users, shares and settings of File Browser. */
export const importCommand: Subcommand = {
  usage: 'FILE... [flags]',
  sentence: 'Takes over users, shares and settings from the database or the exports of File Browser.',
  words: [1, 16],
  flags: {
    'dry-run': { description: 'Prints what would be imported, changed and dropped, and writes nothing.' },
    'first-start': { description: 'Does nothing when Coffer has a state already. For containers.' },
    ...jsonFlag,
  },
  reads: 'state',
  run: async (args, { env, print }) => {
    const config = await stateConfig(args, env)
    const { importAtFirstStart, importFiles } = await import('#src/import/import.ts')
    const [file = '', ...others] = args.words
    if (args.has('first-start')) {
      if (others.length > 0 || args.has('dry-run') || args.has('json'))
        throw new StartupProblem('--first-start takes one file and no other flags of coffer import.')
      return importAtFirstStart(config, file, print)
    }
    const { jsonOf, tableOf } = await import('#src/import/report/table.ts')
    const printed = await importFiles(config, { files: args.words, isDryRun: args.has('dry-run') })
    if (args.has('json')) return print(jsonOf(printed))
    for (const line of tableOf(printed)) print(line)
  },
}
