import type { Config } from '#src/config/config.ts'
import { realpath, stat } from '#src/files/paths/disk.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import { readState } from '#src/state/document.ts'
import { replaceState } from './apply.ts'
import { type Plan, planImport } from './plan.ts'
import { type InputFile, readInputFile, sizeOfInputFile } from './reading/input-file.ts'
import { type Printed, tableOf } from './report/table.ts'

/** What to import, and how. */
export interface ImportOptions {
  /** Paths of files of File Browser. */
  files: readonly string[]
  /** Only reports what an import would do. Works while a server runs. */
  isDryRun: boolean
  /** Milliseconds since 1970. Undefined: now. */
  now?: number
}

/**
 * Imports files of File Browser into the state of Coffer, while no server runs. Either all of it is written or nothing.
 *
 * @throws StartupProblem when a file cannot be imported, or the state cannot be written.
 */
export async function importFiles(
  config: Config,
  { files, isDryRun, now = Date.now() }: ImportOptions,
): Promise<Printed> {
  const inputs: InputFile[] = []
  for (const file of files) inputs.push(await readInputFile(file))
  const { root, database } = config
  const about = { files: inputs.map(({ file, format }) => `${file}: ${format}`), database }
  if (isDryRun) {
    const existing = await readState(database)
    const secret = [database, `${database.replace(/\.json$/, '')}.d`]
    const plan = await planImport(inputs, { existing, root, secret, now })
    const report = withStart(plan, config)
    const advice = [...report.advice, ...(await adviceAboutFiles(files, root))]
    return { ...about, ...report, advice, isWritten: false, backup: undefined }
  }
  const { plan, backup, aside } = await replaceState(config, {
    planFor: (existing, secret) => planImport(inputs, { existing, root, secret, now }),
    now,
  })
  const report = withStart(plan, config)
  const place = [...(await adviceAboutFiles(files, root)), ...(await adviceAboutOwner(root))]
  const moved = aside.map(
    (name) => `The ${name} of the previous state was damaged: it is in ${database}.aside.`,
  )
  return { ...about, ...report, advice: [...report.advice, ...place, ...moved], isWritten: true, backup }
}

/** File Browser's database often is in the folder that it serves, where users can download it. */
async function adviceAboutFiles(files: readonly string[], root: string): Promise<string[]> {
  const inside: string[] = []
  for (const file of files) if (isWithin(await realpath(file), root)) inside.push(file)
  return inside.map(
    (file) => `Move ${file} out of the root: users can download it, and it contains password hashes.`,
  )
}

/** The server must be able to read what this process has written. */
async function adviceAboutOwner(root: string): Promise<string[]> {
  const { uid } = await stat(root)
  if (process.getuid?.() !== 0 || uid === 0) return []
  return [
    `The state now belongs to the superuser: if Coffer runs as user ${uid}, change the owner of its files (chown).`,
  ]
}

/** Adds the flags that say where the imported state is. */
function withStart({ report }: Plan, { root, database }: Config): Plan['report'] {
  const place = database === `${root}.coffer.json` ? [] : ['--database', database]
  return { ...report, flags: ['--root', root, ...place, ...report.flags] }
}

/**
 * Imports a file of File Browser before the first start of a container. Does nothing when Coffer has a state already, or
 * when the file is missing or empty, as it is before File Browser's own first start.
 *
 * @param print receives the lines of the report
 * @throws StartupProblem as `importFiles`.
 */
export async function importAtFirstStart(
  config: Config,
  file: string,
  print: (line: string) => void,
): Promise<void> {
  if ((await readState(config.database)) !== undefined)
    return print(`Coffer has a state in ${config.database} already: ${file} is not imported.`)
  if (!(await sizeOfInputFile(file))) return print(`${file} is missing or empty: there is nothing to import.`)
  for (const line of tableOf(await importFiles(config, { files: [file], isDryRun: false }))) print(line)
}
