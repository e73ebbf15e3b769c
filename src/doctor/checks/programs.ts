import { type CheckFinding, finding, fine, someOf } from '../findings/finding.ts'
import type { Subject } from '../findings/subject.ts'

/** Checks that the programs exist that users and events run, and that they can run in a sandbox. */
export async function checkPrograms(subject: Subject): Promise<CheckFinding[]> {
  const { enableExec, staticgen } = subject.config
  if (!enableExec && staticgen === undefined) return [fine('programs', 'Commands are turned off.')]
  const found = [
    ...(enableExec ? [...(await checkSandbox(subject)), ...(await checkCommands(subject))] : []),
    ...(await checkGenerator(subject)),
  ]
  return found.length > 0 ? found : [fine('programs', 'All programs that Coffer runs are installed.')]
}

async function checkSandbox({
  config: { execWithoutSandbox },
  sandboxFault,
}: Subject): Promise<CheckFinding[]> {
  const fault = await sandboxFault()
  if (!fault) return []
  const shell = 'apt install bubblewrap'
  const lines = execWithoutSandbox ? { coffer: '--exec-without-sandbox=false', shell } : { shell }
  return [finding('programs.sandbox', execWithoutSandbox ? 'warning' : 'error', fault, { lines })]
}

async function checkCommands({ state, splitWords, findProgram }: Subject): Promise<CheckFinding[]> {
  const missing = await missingOf(programsOf(state, splitWords), findProgram)
  if (missing.length === 0) return []
  const text = `These programs are not in the folders of PATH, so commands with them fail: ${someOf(missing)}.`
  const lines = { systemd: 'Environment=PATH=/usr/local/bin:/usr/bin:/bin' }
  return [finding('programs.missing', 'warning', text, { names: missing, lines })]
}

async function checkGenerator({
  config: { staticgen },
  state,
  findProgram,
}: Subject): Promise<CheckFinding[]> {
  const name = staticgen && (state?.settings.staticGen?.Exe || staticgen)
  if (!name || (await findProgram(name))) return []
  const text = `The generator of the website, ${name}, is not installed.`
  const lines = { shell: `apt install ${staticgen}` }
  return [finding('programs.generator', 'error', text, { names: [name], lines })]
}

/** The names of all programs that users may run, and that events run. */
function programsOf(state: Subject['state'], splitWords: Subject['splitWords']): Set<string> {
  const { commands = {}, shell = [] } = state?.settings ?? {}
  const names = Object.values(state?.users ?? {}).flatMap((user) => user.commands)
  const [shellProgram] = shell
  const ofEvents = Object.values(commands)
    .flat()
    .map((line) => splitWords(line.replace(/\s*&$/, ''))?.[0])
  const all: (string | undefined)[] = [...names, ...(shellProgram ? [shellProgram] : ofEvents)]
  return new Set(all.filter((name) => name !== undefined).filter((name) => name !== ''))
}

async function missingOf(names: ReadonlySet<string>, find: Subject['findProgram']): Promise<string[]> {
  const missing: string[] = []
  for (const name of [...names].slice(0, 200)) if (!(await find(name))) missing.push(name)
  return missing
}
