import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Config } from '#src/config/config.ts'
import type { Logger } from '#src/core/log/log.ts'
import { StartupProblem } from '#src/core/problem.ts'

/** A certificate and its private key, in PEM. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Reads the certificate and its key. Undefined: there is none. @throws StartupProblem when one cannot be read. */
export function readTls(cert: string | undefined, key: string | undefined): Certificate | undefined {
  if (!cert || !key) return undefined
  return { cert: readPem(cert), key: readPem(key) }
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupProblem(
      `${file} cannot be read (${code}): set --cert and --key to files that Coffer can read.`,
      {
        cause: error,
      },
    )
  }
}

/** Logs advice about a certificate that works but should be changed. */
export function checkCertificate(
  { cert, key }: Pick<Config, 'cert' | 'key'>,
  log: Pick<Logger, 'warn'>,
): void {
  if (!cert || !key) return
  if (process.platform !== 'win32' && statSync(key).mode & 0o004)
    log.warn(
      { file: key },
      'every user of this machine can read the private key: change its mode to 0640 or 0600',
    )
  const expired = expiryOf(readPem(cert))
  if (expired) log.warn({ file: cert, expired }, 'the certificate has expired: browsers show a warning')
}

/**
 * Reads the certificate and its key again, and passes them to `use`. If they cannot be used, the log says why, and the
 * old ones stay in use. A program may be writing the two files just now, so that they do not fit together.
 */
export function reloadCertificate(
  { cert, key }: Pick<Config, 'cert' | 'key'>,
  { use, log }: { use: (pair: Certificate) => void; log: Pick<Logger, 'error' | 'info' | 'warn'> },
): void {
  try {
    const pair = readTls(cert, key)
    if (!pair) return
    createSecureContext({ ...pair })
    const expired = expiryOf(pair.cert)
    if (expired) throw new Error(`the new certificate expired on ${expired}`)
    use(pair)
    const { subject, validTo } = new X509Certificate(pair.cert)
    log.info({ subject, validTo }, 'the certificate was loaded again')
    checkCertificate({ cert, key }, log)
  } catch (error) {
    log.error(
      { reason: (error as Error).message },
      'the certificate was not loaded again; the old one stays in use',
    )
  }
}

/** The day on which a certificate has expired; undefined: it has not. */
function expiryOf(cert: Buffer): string | undefined {
  const { validToDate } = new X509Certificate(cert)
  return validToDate.getTime() < Date.now() ? validToDate.toISOString().slice(0, 10) : undefined
}
