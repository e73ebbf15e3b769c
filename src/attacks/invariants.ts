import { readFileSync } from 'node:fs'

/** A recorded response. */
export interface Heard {
  asked: string
  status: number
  /** Headers and body, with archives unpacked. */
  said: string
}

/**
 * Lists the faults of responses: a secret, a path of the host, a place in the code, or a server error.
 *
 * @param known.canaries contents of files that none of the requesting users may read
 */
export function faultsOf(
  heard: readonly Heard[],
  { base, canaries }: { base: string; canaries: readonly string[] },
): string[] {
  return heard.flatMap(({ asked, status, said }) => {
    const canary = canaries.find((one) => said.includes(one))
    const isFailed = status === 0 || (status >= 500 && status !== 503 && status !== 507)
    return [
      ...(canary ? [`${asked}: contains ${canary}`] : []),
      ...(said.includes(base) ? [`${asked}: contains a path of the host`] : []),
      ...(/\.ts:\d+|node:internal/.test(said) ? [`${asked}: contains a place in the code`] : []),
      ...(isFailed
        ? [`${asked}: responds with ${status}: ${said.slice(said.indexOf('\n') + 1).slice(0, 300)}`]
        : []),
    ]
  })
}

/** Returns the secrets that a log file contains. */
export function logFaults(file: string, secrets: readonly string[]): string[] {
  const log = readFileSync(file, 'utf8')
  return secrets.filter((secret) => log.includes(secret)).map((secret) => `the log contains ${secret}`)
}
