// Writes the results as Markdown.
import { cpus, loadavg, release, type } from 'node:os'
import { hasRemoteMounts } from '#src/files/paths/remote-mounts.ts'
import type { Bench } from '../run.ts'
import type { Figures, Limit, Line, Unit } from './line.ts'
import type { Installed } from './servers.ts'

const moreIsBetter: Record<Unit, boolean> = {
  ms: false,
  s: false,
  MB: false,
  'GB/s': true,
  'per second': true,
}
const digits: Record<Unit, number> = { ms: 0, s: 3, MB: 0, 'GB/s': 2, 'per second': 0 }
const none = '–'
// A mount of FUSE that a killed test had left made a listing 17 % slower.
const networkDisks =
  '- network disks (NFS, SMB or FUSE) are mounted: Coffer is slower, because looking for a name may then take long'

/** A measured line. */
export interface Result {
  readonly line: Line
  readonly figures: Figures
}

/** Describes the machine and the settings. */
export function heading(
  bench: Bench,
  { programs, missing }: { programs: readonly Installed[]; missing: readonly string[] },
): string {
  const processors = cpus()
  const cold = bench.dropsCaches
    ? 'the first run after the start, and after the page cache of the system was emptied'
    : 'the first run after the start'
  return [
    `# Benchmark, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    '',
    `- ${processors.length} processors (${processors[0]?.model.trim()}), ${type()} ${release()}, Node ${process.version}`,
    `- ${programs.map(({ is }) => is).join('; ')}`,
    `- not on this machine: ${missing.join(', ') || 'none'}`,
    `- the large file has ${bench.size / 2 ** 20} MiB; ${bench.pin === undefined ? 'no server is pinned' : `the servers run on the processors ${bench.pin}`}`,
    `- cold: ${cold}; warm: the median of ${bench.runs} further runs, in which the programs alternate`,
    '- cells of other programs: cold / warm; ratio: how many times Coffer is as good as the best other file manager, by the warm figures if there are any; nginx and an older Coffer are shown but not compared',
    ...(hasRemoteMounts() ? [networkDisks] : []),
    '',
  ].join('\n')
}

/** Returns the load of the last minute. */
export function load(): string {
  return (loadavg()[0] ?? 0).toFixed(2)
}

/** Renders one table with its notes. */
export function render(title: string, programs: readonly Installed[], results: readonly Result[]): string {
  const peers = programs.slice(1).map(({ name }) => name)
  const head = ['', 'Coffer cold', 'Coffer warm', ...peers, 'ratio to the best', 'limit', 'met']
  const compared = programs
    .slice(1)
    .filter(({ isReference }) => !isReference)
    .map(({ name }) => name)
  const rows = results.map((result) => cells(result, peers, compared))
  const notes = results.flatMap(({ figures }) => figures.notes ?? [])
  return [
    `## ${title}`,
    '',
    ...[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
    '',
  ].join('\n')
}

function cells({ line, figures }: Result, peers: string[], compared: string[]): string[] {
  const { unit } = line
  const { cold, warm } = figures
  const limits = line.limits?.(figures) ?? []
  const both = (name: string) =>
    cold[name] === undefined && warm[name] === undefined
      ? none
      : `${format(cold[name], unit)} / ${format(warm[name], unit)}`
  return [
    `${line.what} (${unit})`,
    format(cold.Coffer, unit),
    format(warm.Coffer, unit),
    ...peers.map(both),
    ratio(line, figures, compared),
    limits.map((limit) => limitText(limit, unit)).join(', ') || none,
    limits.map((limit) => met(limit, figures, unit)).join(', ') || none,
  ]
}

function ratio({ unit }: Line, { cold, warm }: Figures, compared: string[]): string {
  const figures = warm.Coffer === undefined ? cold : warm
  const ours = figures.Coffer ?? Number.NaN
  const ratios = compared
    .map((name) =>
      moreIsBetter[unit] ? ours / (figures[name] ?? Number.NaN) : (figures[name] ?? Number.NaN) / ours,
    )
    .filter(Number.isFinite)
  return ratios.length === 0 ? none : Math.min(...ratios).toFixed(2)
}

function limitText({ value, of, from }: Limit, unit: Unit): string {
  const sign = moreIsBetter[unit] ? '≥' : '≤'
  return `${sign} ${format(value, unit)}${of === 'cold' ? ' cold' : ''}${from ? ` (${from})` : ''}`
}

function met({ value, of }: Limit, figures: Figures, unit: Unit): string {
  const ours = figures[of].Coffer ?? Number.NaN
  if (Number.isNaN(ours) || Number.isNaN(value)) return 'not measured'
  return (moreIsBetter[unit] ? ours >= value : ours <= value) ? 'yes' : 'no'
}

/** Returns a value without its unit, which the line names. NaN is a failed run. */
function format(value: number | undefined, unit: Unit): string {
  if (value === undefined) return none
  return Number.isNaN(value) ? 'failed' : value.toFixed(digits[unit])
}
