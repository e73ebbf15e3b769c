import path from 'node:path'
import type { Finding } from '#contract/doctor.ts'
import type { Config } from '#src/config/config.ts'
import { loadConfig } from '#src/config/load.ts'
import { fromEnvironment, fromFlags } from '#src/config/sources.ts'
import { type ControlClient, connectControl } from '#src/control/control-client.ts'
import { CommandProblem, Problem, StartupProblem } from '#src/core/problem.ts'
import { version } from '#src/core/version.ts'
import type { BundleFile } from '#src/doctor/bundle/bundle.ts'
import type { Doctor, DoctorReport } from '#src/doctor/doctor.ts'
import { blockedSuffix } from '#src/doctor/run-checks.ts'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { findState } from '#src/start/state-folder.ts'
import { splitOwnFlags } from '../parsing/own-flags.ts'
import { type Flags, jsonFlag, type Subcommand, type Terminal } from '../parsing/subcommand.ts'
import { printResult } from '../parsing/table.ts'
import { refuseExisting, showAndWrite } from './doctor-bundle.ts'
import { reportText } from './doctor-report.ts'

const flags: Flags = {
  fix: {
    description: "Fixes what is safe: modes of Coffer's own files, and what killed processes left behind.",
  },
  bundle: {
    value: 'FILE',
    description: 'Shows a report without names, paths and secrets, and writes it to a new zip file.',
  },
  yes: { description: 'Writes the file of --bundle without a question.' },
  ...jsonFlag,
}

/** `coffer doctor`: checks the instance, in the running server if there is one. */
export const doctorCommand: Readonly<Record<string, Subcommand>> = {
  doctor: {
    usage: '[flags of serve]',
    sentence: 'Checks folders, disk space, options, certificate, users and links, and says what to change.',
    flags,
    reads: 'options',
    async run({ all }, terminal) {
      const { own, rest } = splitOwnFlags(all, { name: 'doctor', flags })
      const file = own.value('bundle')
      if (file !== undefined) await refuseExisting(file)
      // A wrong flag is a mistake in this command, while a wrong value is what the check has to report.
      fromFlags(rest)
      const config = await loadConfigOrFinding(rest, terminal)
      if ('finding' in config) {
        if (file !== undefined) throw new StartupProblem(config.finding.text)
        return printReport(own, terminal, reportOf(config.finding))
      }
      await using instance = await openInstance(config)
      // `await` handles the error before the connection is closed.
      if (file === undefined) return await printReport(own, terminal, await instance.check(own.has('fix')))
      const how = { file, isConfirmed: own.has('yes'), isJson: own.has('json') }
      await showAndWrite(await instance.bundle(), how, terminal)
    },
  },
}

interface Instance extends AsyncDisposable {
  check(fix: boolean): Promise<DoctorReport>
  bundle(): Promise<BundleFile[]>
}

/** The running server, or the checks in this process. */
async function openInstance(config: Config): Promise<Instance> {
  const found = await findState(config)
  // A state of another user is one of the faults that the checks report.
  const client = found && (await connectControl(found.folder).catch(ignoreStartupProblem))
  if (client) return remote(client)
  const { createOfflineDoctor } = await import('#src/start/doctor.ts')
  const doctor: Doctor = createOfflineDoctor(config)
  return {
    check: (fix) => doctor.check({ fix }),
    bundle: () => doctor.bundle(),
    [Symbol.asyncDispose]: async () => {},
  }
}

function ignoreStartupProblem(error: unknown): undefined {
  if (!(error instanceof StartupProblem)) throw error
}

function remote(client: ControlClient): Instance {
  return {
    check: async (fix) => (await inTime(client.call('doctor/check', { fix }))) as DoctorReport,
    bundle: async () => (await inTime(client.call('doctor/bundle', {}))) as BundleFile[],
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

// A server needs a few seconds, and longer while other checks run.
const deadlineMs = 60_000

/** @throws CommandProblem when the server does not answer, for example because it was stopped by a debugger. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const message = 'The running server does not respond: look at its log, then restart it.'
  const timer = setTimeout(() => late.reject(new CommandProblem(message)), deadlineMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The options of `serve`, or the reason why `serve` would refuse them. */
async function loadConfigOrFinding(
  rest: readonly string[],
  { env, warn }: Terminal,
): Promise<Config | { finding: Finding }> {
  try {
    await rejectSilentDisks(rest, env)
    return await loadConfig(rest, env, warn)
  } catch (error) {
    if (!(error instanceof StartupProblem || error instanceof Problem)) throw error
    const isBlocked = error instanceof Problem && error.code === 'disk.silent'
    const id = `options${isBlocked ? blockedSuffix : '.invalid'}`
    return { finding: { id, level: 'error', text: error.message, lines: [] } }
  }
}

/** A disk that does not respond would block this process. So it is asked before the options are read. */
async function rejectSilentDisks(rest: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const sources = [fromFlags(rest), fromEnvironment(env, () => {})]
  for (const key of ['config', 'root', 'database', 'cert', 'key'] as const) {
    const text = sources.map((source) => source.get(key)?.text).find(Boolean)
    const file = path.resolve(text ?? '.')
    if (text !== undefined || key === 'root') await rejectUnresponsive(file, file)
  }
}

function reportOf(found: Finding): DoctorReport {
  return { version, findings: [found], fixed: [], isServer: false }
}

async function printReport(
  own: { has(flag: string): boolean },
  terminal: Terminal,
  report: DoctorReport,
): Promise<void> {
  const isColoured = process.stdout.isTTY === true && !terminal.env.NO_COLOR
  printResult(own, terminal, { value: report, toText: () => reportText(report, isColoured) })
  const errors = report.findings.filter(({ level }) => level === 'error').length
  if (errors === 0) return
  const message = errors === 1 ? 'There is 1 error.' : `There are ${errors} errors.`
  if (!report.isServer && report.findings.some(({ id }) => id.endsWith(blockedSuffix))) {
    terminal.warn(message)
    leaveAtOnce()
  }
  throw new CommandProblem(message)
}

/**
 * Ends this process with code 1 while its threads wait for a disk that does not respond. The usual way to exit waits for
 * them for ever. Another program in the place of this one ends them.
 */
function leaveAtOnce(): void {
  try {
    process.execve?.('/bin/sh', ['sh', '-c', 'exit 1'], {})
  } catch {
    // A container may have no shell.
  }
  process.kill(process.pid, 'SIGKILL')
}
