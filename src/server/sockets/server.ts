import { readFileSync } from 'node:fs'
import type { Limits } from '#src/config/config.ts'
import { StartupProblem } from '#src/core/problem.ts'

/** The options of the HTTP application for its servers. */
export interface ServerOptions {
  /** Starts with a slash; empty at the root. */
  baseUrl: string
  /** Addresses or ranges of proxies whose forwarding headers are trusted. */
  trustedProxy: readonly string[]
  tls: { cert: Buffer; key: Buffer } | undefined
  limits: Pick<Limits, 'maxBody' | 'maxHeader' | 'requestTimeoutMs' | 'idleTimeoutMs'>
}

/**
 * Returns the URL as the routes expect it: without scheme and host, which proxies may send (RFC 9112 §3.2.2), and
 * without the base path, whether a proxy has stripped it or not.
 */
export function stripBaseUrl(url: string, baseUrl: string): string {
  const path = url.startsWith('/') ? url : `/${/^[a-z]+:\/\/[^/?]*\/?(.*)$/i.exec(url)?.[1] ?? url}`
  if (!baseUrl || !path.startsWith(baseUrl)) return path
  const rest = path.slice(baseUrl.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : path
}

/** Reads the certificate and its key. @throws StartupProblem when one cannot be read. */
export function readTls(cert: string | undefined, key: string | undefined): ServerOptions['tls'] {
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
