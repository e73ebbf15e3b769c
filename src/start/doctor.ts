import { isAbsolute } from 'node:path'
import type { Audit } from '#src/audit/audit.ts'
import { splitWords } from '#src/commands/split-words.ts'
import type { Config } from '#src/config/config.ts'
import type { RecentLines } from '#src/core/log/recent-lines.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { createProxyWatch, type ProxyWatch } from '#src/core/trusted-proxies.ts'
import { createDoctor, type Doctor } from '#src/doctor/doctor.ts'
import { readTail } from '#src/doctor/findings/own-files.ts'
import type { Subject } from '#src/doctor/findings/subject.ts'
import { cleanEnvironment } from '#src/sandbox/environment.ts'
import { findProgramByNameOrPath } from '#src/sandbox/find-program.ts'
import { openSandbox } from '#src/sandbox/open-sandbox.ts'
import { readState, type StateDocument } from '#src/state/document.ts'
import { statePaths } from './state-folder.ts'

const mostLogBytes = 256 * 1024

/** What only a running server has. */
interface RunningSources {
  document: StateDocument
  cacheFolder: string
  secret: readonly string[]
  /** Undefined: commands are off, or run without a sandbox. */
  sandbox?: object | undefined
  recentLines?: RecentLines | undefined
  audit: Pick<Audit, 'lastVerification'>
}

/** Creates the checks of the running server, and what notices proxies for them. */
export function createServerDoctor(
  config: Config,
  { document, cacheFolder, secret, sandbox, recentLines, audit }: RunningSources,
): { doctor: Doctor; proxies: ProxyWatch } {
  const proxies = createProxyWatch(config.trustedProxy)
  const doctor = createDoctor({
    subject: async () => ({
      ...(await commonSubject(config)),
      cacheFolder,
      state: document.data,
      stateFault: undefined,
      secret,
      server: { untrustedPeer: proxies.untrustedPeer, lastVerification: audit.lastVerification },
      // Without a sandbox, the server starts only with `--exec-without-sandbox`.
      sandboxFault: async () => (sandbox ? undefined : unprotected(config)),
    }),
    logLines: async () => (await fileLines(config)) ?? recentLines?.all(),
  })
  return { doctor, proxies }
}

/** Creates the checks of an instance whose server does not run. They change nothing, except as `coffer doctor --fix`. */
export function createOfflineDoctor(config: Config): Doctor {
  return createDoctor({
    subject: async () => {
      const common = await commonSubject(config)
      const read = await readState(common.file).then(
        (state) => ({ state: state ?? undefined, stateFault: undefined }),
        (error: unknown) => {
          if (!(error instanceof StartupProblem)) throw error
          return { state: undefined, stateFault: error.message }
        },
      )
      const secret = [common.file, common.folder]
      return {
        ...common,
        ...read,
        secret,
        server: undefined,
        sandboxFault: () => sandboxFault(config, secret),
      }
    },
    logLines: () => fileLines(config),
  })
}

async function commonSubject(config: Config) {
  const { file, folder } = await statePaths(config)
  const env = cleanEnvironment()
  return {
    config,
    file,
    folder,
    cacheFolder: config.cacheDir ?? `${folder}/cache`,
    wall: Date.now,
    shows: () => true,
    splitWords,
    findProgram: (name: string) =>
      findProgramByNameOrPath(name, { path: env.PATH ?? '', served: config.root }),
  } satisfies Partial<Subject>
}

async function fileLines({ log }: Config): Promise<string[] | undefined> {
  if (!isAbsolute(log)) return undefined
  const text = await readTail(log, mostLogBytes).catch(() => '') // a missing log has no lines
  return text.split('\n')
}

async function sandboxFault(config: Config, secret: readonly string[]): Promise<string | undefined> {
  if (config.execWithoutSandbox) return unprotected(config)
  try {
    await openSandbox(config, { secret, print: () => {} })
    return undefined
  } catch (error) {
    if (error instanceof StartupProblem) return error.message
    throw error
  }
}

function unprotected({ execWithoutSandbox }: Config): string | undefined {
  if (!execWithoutSandbox) return undefined
  return 'Commands run without a sandbox (--exec-without-sandbox): they can read and change everything that the server can.'
}
