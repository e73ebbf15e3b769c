import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RestoreReport } from '#src/backup/plan-restore.ts'
import { withState } from '#src/cli/parsing/run-call.ts'
import { CommandProblem, StartupProblem } from '#src/core/problem.ts'
import { findState } from '#src/start/state-folder.ts'
import { stateConfig } from '../parsing/arguments.ts'
import { type Arguments, jsonFlag, type Subcommand, type Terminal } from '../parsing/subcommand.ts'
import { printResult, visible } from '../parsing/table.ts'

const secretAdvice = 'The backup contains password hashes and keys: keep it as safe as the state file.'

/** The commands that write and restore backups. They work while the server runs and when it does not. */
export const backupCommands: Readonly<Record<string, Subcommand>> = {
  backup: {
    usage: 'FILE',
    sentence:
      'Writes users, settings, shares, schedules and branding files to a tar archive and verifies it. FILE can be - for standard output. The files of users are not in it.',
    words: [1, 1],
    flags: {
      ...jsonFlag,
      'with-sessions': {
        description: 'Adds the sessions, so that users stay signed in after a restore with --sessions.',
      },
      'with-history': { description: 'Adds the history of changes with the audit log, which can be large.' },
      force: { short: 'f', description: 'Replaces FILE if it exists.' },
    },
    reads: 'state',
    run: (args, terminal) =>
      args.words[0] === '-' ? backupToOutput(args, terminal) : backupToFile(args, terminal),
  },
  restore: {
    usage: 'FILE',
    sentence:
      'Verifies a backup of coffer backup and makes it the present, or changes nothing. Saves the present before, in the folder beside the state file. FILE can be - for standard input.',
    words: [1, 1],
    flags: {
      ...jsonFlag,
      'dry-run': { short: 'n', description: 'Only verifies the backup, and prints what would change.' },
      sessions: {
        description: 'The sessions of the backup continue. Without this flag, all users must sign in again.',
      },
      'without-branding': { description: 'The branding files stay as they are.' },
      'rebind-shares': {
        description:
          'Each share gets the file that is at its path now. This is the default if the served folder is not the one of the backup.',
      },
    },
    reads: 'state',
    run: restore,
  },
}

async function backupToFile(args: Arguments, terminal: Terminal): Promise<void> {
  const [file = ''] = args.words
  const force = args.has('force')
  const { checkTarget, writeBackupFile } = await import('../parsing/backup-file.ts')
  const config = await stateConfig(args, terminal.env)
  const found = await findState(config)
  const own = found ? [found.file, found.folder] : []
  await checkTarget(file, { own, root: config.root, force })
  await withState(args, terminal, async (call) => {
    const stream = await call('backup/write', contentOf(args))
    const summary = await writeBackupFile(file, complete(stream), force)
    const text = `The backup is in ${visible(file)}, and it is verified (${summary.bytes} bytes).`
    printResult(args, terminal, { value: { file, ...summary }, toText: () => text })
    for (const line of [...summary.left, secretAdvice]) terminal.warn(visible(line))
  })
}

async function backupToOutput(args: Arguments, terminal: Terminal): Promise<void> {
  if (args.has('json'))
    throw new StartupProblem('The backup goes to standard output: remove --json, or write to a file.')
  if (process.stdout.isTTY)
    throw new StartupProblem('A terminal cannot show a backup: write to a file, or pipe it into a program.')
  await withState(args, terminal, async (call) => {
    const stream = await call('backup/write', contentOf(args))
    await pipeline(complete(stream), process.stdout, { end: false }).catch((error: unknown) => {
      if (error instanceof CommandProblem) throw error
      throw new CommandProblem('The backup is incomplete, because its reader has stopped.', { cause: error })
    })
  })
  terminal.warn(
    `The backup is written, but not verified: coffer restore --dry-run verifies it. ${secretAdvice}`,
  )
}

function contentOf(args: Arguments) {
  return { sessions: args.has('with-sessions'), history: args.has('with-history') }
}

/** The bytes of a backup. @throws CommandProblem when the server does not send all of them. */
function complete(stream: Readable): Readable {
  async function* bytes() {
    try {
      yield* stream
    } catch (error) {
      if (error instanceof CommandProblem) throw error
      throw new CommandProblem(
        'The backup is incomplete, because the server has stopped or could not read a file: see its log, then try again.',
        { cause: error },
      )
    }
  }
  return Readable.from(bytes(), { objectMode: false })
}

async function restore(args: Arguments, terminal: Terminal): Promise<void> {
  const [file = ''] = args.words
  const { openBackupFile } = await import('../parsing/backup-file.ts')
  const dryRun = args.has('dry-run')
  const rebindShares = args.choice('rebind-shares')
  const body = await openBackupFile(file, terminal.stdin)
  try {
    await withState(args, terminal, async (call) => {
      const input = {
        dryRun,
        sessions: args.has('sessions'),
        withoutBranding: args.has('without-branding'),
        ...(rebindShares !== undefined && { rebindShares }),
      }
      const { lines, ...report } = await call('backup/restore', input, body)
      printResult(args, terminal, {
        value: { dryRun, ...report },
        toText: () => textOf({ lines, ...report }),
      })
      for (const line of report.unfinished) terminal.warn(visible(line))
    })
  } finally {
    // The server may have refused the backup before it has received all of it.
    body.destroy()
  }
}

function textOf({ created, coffer, before, lines }: RestoreReport): string {
  const source = `the backup of ${created} (Coffer ${coffer})`
  const head =
    before === undefined
      ? `Nothing was changed. Restoring ${source} would do this:`
      : `Restored ${source}. What was there before is in ${before}.`
  return [head, ...lines.map((line) => `- ${line}`)].map(visible).join('\n')
}
