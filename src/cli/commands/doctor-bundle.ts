import { createWriteStream } from 'node:fs'
import { lstat, open, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { pipeline } from 'node:stream/promises'
import { CommandProblem, errnoOf, ignoreMissing, StartupProblem } from '#src/core/problem.ts'
import type { BundleFile } from '#src/doctor/bundle/bundle.ts'
import type { Terminal } from '../parsing/subcommand.ts'
import { visible } from '../parsing/table.ts'

/** Refuses a file that exists. @throws StartupProblem */
export async function refuseExisting(file: string): Promise<void> {
  const stats = await lstat(file).catch(ignoreMissing).catch(failWrite(file))
  if (stats) throw new StartupProblem(`The file ${file} exists: choose another one, or remove it.`)
}

/**
 * Shows the files of a bug report, and writes them to a zip file that only this user can read, if the user agrees.
 *
 * @throws StartupProblem when there is no terminal to ask, and when the file cannot be written.
 * @throws CommandProblem when the user does not agree.
 */
export async function showAndWrite(
  files: readonly BundleFile[],
  { file, isConfirmed, isJson }: { file: string; isConfirmed: boolean; isJson: boolean },
  { print, warn, stdin }: Terminal,
): Promise<void> {
  const sizes = files.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) }))
  if (!isJson)
    print(
      files.map(({ name, text }) => `=== ${name}\n${text.split('\n').map(visible).join('\n')}`).join('\n'),
    )
  if (!isConfirmed && !stdin.isTTY)
    throw new StartupProblem('There is no terminal to ask whether to write the file: add --yes.')
  if (!isConfirmed && !(await isAgreed(stdin, file))) throw new CommandProblem('Nothing was written.')
  await writeZip(file, files)
  if (isJson) print(JSON.stringify({ file, files: sizes }, null, 2))
  else print(`The report is in ${file}. It contains what is shown above.`)
  warn('Names, paths, addresses and secrets were replaced. Read the report before you send it.')
}

async function isAgreed(input: NodeJS.ReadStream, file: string): Promise<boolean> {
  const lines = createInterface({ input, output: process.stderr })
  try {
    const answer = await lines.question(`Write this to ${visible(file)}? [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}

async function writeZip(file: string, files: readonly BundleFile[]): Promise<void> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  for (const { name, text } of files) zip.addBuffer(Buffer.from(text), name, { mode: 0o100600 })
  zip.end()
  const handle = await open(file, 'wx', 0o600).catch(failWrite(file))
  try {
    await pipeline(zip.outputStream, createWriteStream(file, { fd: handle, flush: true }))
  } catch (error) {
    await rm(file, { force: true }).catch(() => {}) // the first error is the one to report
    failWrite(file)(error)
  }
}

function failWrite(file: string): (error: unknown) => never {
  return (error) => {
    const reason = errnoOf(error) === 'EEXIST' ? 'it exists' : errnoOf(error)
    throw new StartupProblem(`The file ${file} cannot be written (${reason}): choose another one.`, {
      cause: error,
    })
  }
}
