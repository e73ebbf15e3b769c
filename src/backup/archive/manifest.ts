import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { CommandProblem } from '#src/core/problem.ts'
import { validatorOf } from '#src/core/storage/validator.ts'
import { version } from '#src/core/version.ts'

/** A file of a backup, as the manifest describes it. */
export const BackupFile = Type.Object({
  /** The row of the table of parts that the file belongs to. */
  part: Type.String({ pattern: '^[a-z]{1,20}$' }),
  /** The name in the archive, such as `branding/custom.css`. */
  name: Type.String({ minLength: 1, maxLength: 1000 }),
  /** In bytes. */
  size: Type.Integer({ minimum: 0, maximum: 2 ** 46 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
export type BackupFile = Static<typeof BackupFile>

/** The first file of a backup: what it contains. */
export const Manifest = Type.Object({
  format: Type.Literal(1),
  /** The version of Coffer that wrote the backup. */
  coffer: Type.String({ pattern: '^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}' }),
  /** RFC 3339, UTC. */
  created: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d' }),
  /** The identity of the served folder. A different one means that users' files have moved to another disk. */
  root: Type.Object({ dev: Type.Number(), ino: Type.Number(), birth: Type.Number() }),
  files: Type.Array(BackupFile, { maxItems: 2000 }),
  /** One sentence for each thing that is not in the backup. */
  left: Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 100 }),
})
export type Manifest = Static<typeof Manifest>

/** The names of the first and of the last file of a backup. */
export const manifestName = 'manifest.json'
export const sumsName = 'SHA256SUMS'

/** The largest manifest that is read, in bytes. */
export const largestManifest = 2 * 1024 * 1024

/** The hash of a text or of bytes, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/**
 * Returns the last file of a backup: the checksums of all others, in the format of `sha256sum -c`. It also shows that the
 * manifest is intact and the backup is complete.
 */
export function sumsOf(manifest: Uint8Array, files: readonly BackupFile[]): string {
  const lines = [{ name: manifestName, sha256: sha256(manifest) }, ...files]
  return lines.map((file) => `${file.sha256}  ${file.name}\n`).join('')
}

/** For a backup that cannot be used. `reason` continues the sentence. */
export function unusable(reason: string, cause?: unknown): CommandProblem {
  return new CommandProblem(`This backup cannot be used: ${reason}.`, { cause })
}

/**
 * Parses and checks a manifest.
 *
 * @throws CommandProblem when it is damaged, or written by a newer version of Coffer.
 */
export function parseManifest(bytes: Buffer): Manifest {
  const value = parseJson(bytes, manifestName)
  const { format, coffer } = (value ?? {}) as { format?: unknown; coffer?: unknown }
  const isNewFormat = Number.isInteger(format) && Number(format) > 1
  if (isNewFormat || (typeof coffer === 'string' && isNewerThan(coffer, version)))
    throw unusable(`it was written by the newer version ${shown(coffer)} of Coffer, and this is ${version}`)
  const validator = validatorOf(Manifest)
  if (!validator.Check(value)) {
    const [first] = validator.Errors(value)
    throw unusable(`${manifestName} is damaged at ${first?.instancePath || '/'}`)
  }
  const names = value.files.map(({ name }) => name)
  const wrong = names.find((name, at) => !isPlainName(name) || names.indexOf(name) !== at)
  if (wrong !== undefined) throw unusable(`it has a file with the name ${shown(wrong)}`)
  return value
}

// A file of this size could hold more values than this, and each takes about fifty bytes of memory.
const mostValues = 8_000_000
const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b]

/** Parses JSON from a backup. @throws CommandProblem when it is damaged, or would need a lot of memory. */
export function parseJson(bytes: Buffer, name: string): unknown {
  let values = 0
  for (const byte of bytes) if (byte === comma || byte === bracket || byte === brace) values++
  if (values > mostValues) throw unusable(`${name} has too many entries`)
  try {
    return JSON.parse(bytes.toString())
  } catch (error) {
    throw unusable(`${name} is not valid JSON`, error)
  }
}

/** Whether a name leads to a place below the folder it is used in, on every system, and has no control characters. */
export function isPlainName(name: string): boolean {
  if (!name.isWellFormed() || /[\p{Cc}\\:\ufffd]/u.test(name)) return false
  if (name === manifestName || name === sumsName) return false
  return name.split('/').every((one) => one !== '' && one !== '.' && one !== '..' && one.length <= 255)
}

function isNewerThan(given: string, own: string): boolean {
  const [left, right] = [given, own].map((text) => (/^[\d.]*/.exec(text)?.[0] ?? '').split('.').map(Number))
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

/** Shortened text of unknown origin for a message, without control characters. */
export function shown(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80).toWellFormed())
}
