import { readFileSync } from 'node:fs'

/** A recorded response. */
export interface RecordedResponse {
  request: string
  status: number
  /** Headers and body, with archives unpacked. */
  content: string
}

/** The health check tells administrators which files of the host to change. */
const namesHostPaths = /\bGET \/api\/doctor\b/

/**
 * Lists the faults of responses: a secret, a path of the host, a place in the code, or a server error.
 *
 * @param known.canaries contents of files that none of the requesting users may read
 */
export function faultsOf(
  heard: readonly RecordedResponse[],
  { base, canaries }: { base: string; canaries: readonly string[] },
): string[] {
  return heard.flatMap(({ request, status, content }) => {
    const canary = canaries.find((one) => content.includes(one))
    const isFailed = status === 0 || (status >= 500 && status !== 503 && status !== 507)
    return [
      ...(canary ? [`${request}: contains ${canary}`] : []),
      ...(content.includes(base) && !namesHostPaths.test(request)
        ? [`${request}: contains a path of the host`]
        : []),
      ...(/\.ts:\d+|node:internal/.test(content) ? [`${request}: contains a place in the code`] : []),
      ...(isFailed
        ? [`${request}: responds with ${status}: ${content.slice(content.indexOf('\n') + 1).slice(0, 300)}`]
        : []),
    ]
  })
}

/** Returns the secrets that a log file contains. */
export function logFaults(file: string, secrets: readonly string[]): string[] {
  const log = readFileSync(file, 'utf8')
  return secrets.filter((secret) => log.includes(secret)).map((secret) => `the log contains ${secret}`)
}
