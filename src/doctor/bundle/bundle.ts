import { homedir, hostname } from 'node:os'
import type { CheckFinding } from '../findings/finding.ts'
import type { Subject } from '../findings/subject.ts'
import { redactLines } from './log-lines.ts'
import { createRedactor, type Redactor } from './redactor.ts'
import { describeOptions, describeSettings } from './settings.ts'
import { describeVersions } from './versions.ts'

/** One file of a bug report. */
export interface BundleFile {
  name: string
  text: string
}

const mostLogBytes = 256 * 1024

/** Creates the files of a bug report. Names, paths, addresses and secrets are replaced in all of them. */
export function createBundle({
  subject,
  findings,
  logLines,
}: {
  subject: Subject
  findings: readonly CheckFinding[]
  logLines: readonly string[] | undefined
}): BundleFile[] {
  const redactor = redactorOf(subject)
  const lines = redactLines(logLines ?? [], redactor)
  const log = logLines === undefined ? 'There is no log.' : lines.join('\n').slice(-mostLogBytes)
  return [
    { name: 'versions.txt', text: describeVersions(subject) },
    { name: 'findings.txt', text: findings.map((each) => findingText(each, redactor)).join('\n') },
    { name: 'options.txt', text: describeOptions(subject.config, redactor) },
    { name: 'settings.txt', text: describeSettings(subject.state) },
    { name: 'log.txt', text: log || 'The log is empty.' },
  ].map(({ name, text }) => ({ name, text: `${text.trimEnd()}\n` }))
}

function findingText({ id, level, text, names, lines }: CheckFinding, redactor: Redactor): string {
  const advice = lines.map(
    ({ where, text: line }) => `    ${where}: ${redactor.known(line, names).replaceAll('\n', '; ')}`,
  )
  return [`${level.padEnd(8)}${id}: ${redactor.known(text, names)}`, ...advice].join('\n')
}

/** The private values of the instance that are known. */
function redactorOf({ config, file, folder, cacheFolder, secret, state }: Subject): Redactor {
  const users = Object.values(state?.users ?? {})
  const { signingKey, passwords, mailPassword } = state?.credentials ?? {}
  const { branding, userHomeBasePath, defaults, mail } = state?.settings ?? {}
  const own = [config.root, file, folder, cacheFolder, ...secret, homedir(), process.execPath]
  const optional = [config.cert, config.key, config.socket, config.configFile, config.log, branding?.files]
  const paths = [...own, ...optional, ...users.map(({ scope }) => scope), userHomeBasePath, defaults?.scope]
  return createRedactor({
    secret: present([
      signingKey,
      ...Object.values(passwords ?? {}),
      mailPassword,
      config.password,
      config.recaptchaSecret,
      config.recaptchaKey,
    ]),
    share: Object.keys(state?.shares ?? {}),
    // A single letter or dot would match everywhere.
    path: present(paths).filter((path) => path.length > 1 && /[/\\]/.test(path)),
    user: present([...users.map(({ username }) => username), config.username, mail?.user, mail?.from]),
    host: present([hostname(), branding?.name, mail?.host]),
    name: Object.values(state?.shares ?? {}).map(({ path }) => path),
  })
}

function present(values: readonly (string | undefined)[]): string[] {
  return values.filter((value) => value !== undefined && value.length > 0) as string[]
}
