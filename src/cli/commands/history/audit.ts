import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { KeptHead, Verification } from '#src/audit/chain.ts'
import { onState, withState } from '#src/cli/parsing/run-call.ts'
import { CommandProblem, StartupProblem } from '#src/core/problem.ts'
import {
  type Arguments,
  type Flags,
  jsonFlag,
  type Subcommand,
  type Terminal,
} from '../../parsing/subcommand.ts'
import { printResult, visible } from '../../parsing/table.ts'

const filterFlags: Flags = {
  user: { value: 'NAME', description: 'Only records of this user.' },
  path: {
    value: 'PATH',
    description: 'Only records of this path in the served folder, and of everything below it.',
  },
  kind: { value: 'KIND', description: 'Only records of this kind, such as delete or login.' },
  address: { value: 'ADDRESS', description: 'Only records of this address.' },
  outcome: { value: 'OUTCOME', description: 'Only done, failed, refused or interrupted.' },
  from: {
    value: 'TIME',
    description: 'Only records since this time, such as 2026-01-31 or 2026-01-31T08:00:00Z.',
  },
  to: { value: 'TIME', description: 'Only records before this time.' },
}

/** The commands of the audit log. They work while the server runs and when it does not. */
export const auditCommands: Readonly<Record<string, Subcommand>> = {
  'audit verify': {
    sentence: 'Proves that no record of the audit log was changed or removed, and prints its head.',
    flags: {
      ...jsonFlag,
      head: {
        value: 'HEAD',
        description: 'Also proves that this head, which was printed before, is still in the log.',
      },
    },
    reads: 'state',
    run: verify,
  },
  'audit head': {
    sentence:
      'Prints the number and the hash of the last record. Keep them in another place, for coffer audit verify --head.',
    flags: jsonFlag,
    ...onState(async (call, args, terminal) => {
      const head = await call('audit/head', {})
      if (!head) throw new CommandProblem('The audit log has no records.')
      printResult(args, terminal, { value: head, toText: () => `${head.seq}:${head.hash}` })
    }),
  },
  'audit export': {
    sentence: 'Writes records of the audit log to standard output, the oldest first.',
    flags: { format: { value: 'FORMAT', description: 'csv or ndjson. The default is csv.' }, ...filterFlags },
    reads: 'state',
    run: exportRecords,
  },
}

async function verify(args: Arguments, terminal: Terminal): Promise<void> {
  const text = args.value('head')
  const head = text === undefined ? undefined : parseHead(text)
  await withState(args, terminal, async (call) => {
    const result = await call('audit/verify', head ? { head: toInput(head) } : {})
    printResult(args, terminal, { value: result, toText: () => textOf(result) })
    const fault = faultOf(result, head)
    if (fault !== undefined) throw new CommandProblem(fault)
  })
}

/** Reads a head: a number and a hash, or only the hash. @throws StartupProblem. */
function parseHead(text: string): KeptHead {
  const [, seq, hash] = /^(?:(\d{1,15}):)?([0-9a-f]{64})$/i.exec(text.trim()) ?? []
  if (hash === undefined)
    throw new StartupProblem(
      '--head must be what coffer audit head prints: a number, a colon and 64 hexadecimal digits.',
    )
  return { seq: seq === undefined ? undefined : Number(seq), hash: hash.toLowerCase() }
}

function toInput({ seq, hash }: KeptHead): { seq?: number; hash: string } {
  return seq === undefined ? { hash } : { seq, hash }
}

function textOf({ records, first, head, removedThrough, expected }: Verification): string {
  const removed =
    removedThrough === undefined ? [] : [`The records up to ${removedThrough} were removed by the retention.`]
  const verified =
    records === 0 ? 'There are no records to verify.' : `${records} records were verified, from ${first} on.`
  const kept = expected === 'found' ? ['The given head is in the log.'] : []
  const last = head ? [`Head: ${head.seq}:${head.hash}`] : []
  return [verified, ...removed, ...kept, ...last].join('\n')
}

/** The sentence about what is wrong. Undefined: nothing is. */
function faultOf(
  { fault, expected, setAside }: Verification & { setAside?: string | undefined },
  head: KeptHead | undefined,
): string | undefined {
  if (fault?.what === 'missing') return `Record ${fault.seq} is missing: it was removed.`
  if (fault?.what === 'changed') return `Record ${fault.seq}, or the one before it, was changed.`
  if (fault?.what === 'cut') return `Record ${fault.seq} names a cut that cannot be: it was changed.`
  if (expected === 'missing') {
    const which = head?.seq === undefined ? '' : ` ${head.seq}`
    return `The record${which} with the given head is missing: records were removed from the end, or written anew.`
  }
  if (expected === 'removed')
    return 'The given head is older than the records that the retention has kept: use a newer one.'
  return setAside === undefined ? undefined : `The history was damaged, and a new one has begun: ${setAside}.`
}

async function exportRecords(args: Arguments, terminal: Terminal): Promise<void> {
  const format = args.value('format') ?? 'csv'
  if (format !== 'csv' && format !== 'ndjson') throw new StartupProblem('--format must be csv or ndjson.')
  const given = Object.keys(filterFlags).flatMap((name) => {
    const value = args.value(name)
    return value === undefined ? [] : [[name, value]]
  })
  await withState(args, terminal, async (call) => {
    const stream = await call('audit/export', { format, filter: Object.fromEntries(given) })
    await pipeline(stream as Readable, process.stdout, { end: false }).catch((error: unknown) => {
      if (error instanceof CommandProblem) throw error
      throw new CommandProblem(`The export is incomplete: ${visible((error as Error).message)}.`, {
        cause: error,
      })
    })
  })
}
