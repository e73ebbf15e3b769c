import type { Input, Output } from '#contract/endpoint.ts'
import type { Contract } from '#contract/index.ts'
import type { ProblemCode } from '#contract/problems.ts'

/** Why a call failed: a code of the catalogue, or the two that never reach the server's own catalogue. */
export type FailureCode = ProblemCode | 'network.lost' | 'network.aborted'

/** A refusal. `code` picks the sentence; `detail` is the server's English cause. */
export class ApiProblem extends Error {
  override name = 'ApiProblem'
  readonly status: number
  readonly code: FailureCode
  /** The value that was refused, as in `data.scope`; empty when it is not about one. */
  readonly field: string

  constructor(status: number, code: FailureCode, detail: string, field = '') {
    super(detail)
    this.status = status
    this.code = code
    this.field = field
  }
}

/** How calls reach the server and who makes them. Filled once by the session. */
export const connection = {
  /** Without a trailing slash. */
  baseUrl: '',
  /** Empty: nobody is signed in. */
  token: '',
  /** Told when the server gave a fresh token. */
  onToken: (_token: string) => {},
  /** Told when the server no longer knows the session. */
  onSignedOut: () => {},
}

type Parts = { params?: Record<string, string | number>; query?: Record<string, string>; body?: unknown }
type Args<E> = keyof Input<E> extends never ? [input?: undefined, options?: Options] : [Input<E>, Options?]
type Answer<E> = Output<E> extends undefined ? string : Output<E>

interface Options {
  signal?: AbortSignal
  /** The body of a call that takes bytes. */
  bytes?: Blob | string
  headers?: Record<string, string>
  /** Told the answer's own address, as of something just made. */
  onLocation?(location: string): void
  /** Told the state of the file that the answer tells of, for `If-Match`; empty when the answer names none. */
  onEtag?(etag: string): void
}

/**
 * Makes one call of the contract and returns its reply; a call without a JSON reply returns the text.
 *
 * @throws ApiProblem when the server refuses, is not reached, or `signal` aborts.
 */
export async function api<A extends keyof Contract & string>(
  address: A,
  ...[input, options = {}]: Args<Contract[A]>
): Promise<Answer<Contract[A]>> {
  const { params, query, body } = (input ?? {}) as Parts
  const [method = 'GET', path = '/'] = address.split(' ')
  const { signal, bytes } = options
  const { token } = connection
  const response = await fetch(addressOf(path, params, query), {
    method,
    headers: headers({
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...options.headers,
    }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(bytes !== undefined && { body: bytes }),
    ...(signal && { signal }),
  }).catch((error: Error) => {
    throw new ApiProblem(0, error.name === 'AbortError' ? 'network.aborted' : 'network.lost', error.message)
  })
  if (response.headers.get('X-Renew-Token') === 'true') void renew()
  if (!response.ok) throw refusal(response.status, await response.text(), token, address)
  options.onLocation?.(response.headers.get('Location') ?? '')
  options.onEtag?.(response.headers.get('ETag') ?? '')
  // The contract is what makes the reply's type; the server's own schema has filtered it.
  const type = response.headers.get('Content-Type') ?? ''
  return (type.startsWith('application/json') ? await response.json() : await response.text()) as never
}

/** The headers every call carries. */
export function headers(more: Record<string, string> = {}): Record<string, string> {
  return { Accept: 'application/json', ...(connection.token && { 'X-Auth': connection.token }), ...more }
}

/** The address of a call. `params['*']` is a decoded path that starts with a slash. */
export function addressOf(
  path: string,
  params: Record<string, string | number> = {},
  query: Record<string, string> = {},
): string {
  const given = new Map(Object.entries(params))
  const filled = path
    .replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(given.get(key) ?? ''))
    .replace(
      '/*',
      String(params['*'] ?? '/')
        .split('/')
        .map(encodeURIComponent)
        .join('/'),
    )
  const search = new URLSearchParams(query).toString()
  return connection.baseUrl + filled + (search && `?${search}`)
}

/**
 * Reads problem+json (contract/README.md#errors); an answer of something between us and the server keeps its status. A 401 ends the
 * session, unless the call was made with another token than the current one: it then arrives after a new sign-in.
 *
 * @param token that the call was made with
 */
export function refusal(status: number, text: string, token: string, address = ''): ApiProblem {
  const problem = parse(text)
  // A wrong password answers 403. With 401 the session has ended, except when the call asks for a password.
  const asksPassword = problem.code === 'share.password' || problem.code === 'auth.proof'
  const isLost = status === 401 && !asksPassword && address !== 'POST /api/login'
  if (isLost && token === connection.token) connection.onSignedOut()
  const { code = byStatus(status), detail = text.slice(0, 200), details } = problem
  return new ApiProblem(status, code, detail, details?.field)
}

function parse(text: string): { code?: ProblemCode; detail?: string; details?: { field?: string } } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value ? value : {}
  } catch {
    // A proxy's own error page: the status is all there is to know.
    return {}
  }
}

const codes: Partial<Record<number, FailureCode>> = {
  401: 'auth.required',
  403: 'auth.forbidden',
  404: 'path.unknown',
  409: 'path.exists',
  413: 'request.large',
  507: 'disk.full',
  502: 'network.lost',
  503: 'server.busy',
  504: 'network.lost',
}

function byStatus(status: number): FailureCode {
  return codes[status] ?? 'server.failed'
}

let renewing: Promise<void> | undefined

/** Trades the token for a fresh one; however many calls ask, one request is made (contract/README.md#sessions). */
export function renew(): Promise<void> {
  const before = connection.token
  renewing ??= api('POST /api/renew')
    .then((token) => {
      // The person may have signed out meanwhile, or another one signed in.
      if (connection.token !== before) return
      connection.token = token
      connection.onToken(token)
    })
    // The old token still holds for a while; the next answer asks again.
    .catch(() => undefined)
    .finally(() => {
      renewing = undefined
    })
  return renewing
}
