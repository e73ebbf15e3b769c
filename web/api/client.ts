import type { OverReason } from '#contract/history/operations.ts'
import type { Contract } from '#contract/index.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Input, Output } from '#contract/schema/endpoint.ts'
import { takeEarlyResponse } from './early-request.ts'

/** The reason why a call failed: a problem code of the server or its reason, or one of two codes for a failed connection. */
export type FailureCode = ProblemCode | OverReason | 'network.lost' | 'network.aborted'

/** A refused call. `code` selects the sentence for the user; `detail` is the server's English explanation. */
export class ApiProblem extends Error {
  override name = 'ApiProblem'
  readonly status: number
  readonly code: FailureCode
  /** The refused value, as in `data.scope`; empty if the refusal is not about a value. */
  readonly field: string
  /** The code of the reason, if the refusal has one. */
  readonly why: FailureCode | undefined

  constructor(
    status: number,
    code: FailureCode,
    detail: string,
    { field = '', why }: { field?: string; why?: FailureCode } = {},
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.field = field
    this.why = why
  }
}

/** The server's address and the session's token for all calls. Filled once by the session. */
export const connection = {
  /** Without a trailing slash. */
  baseUrl: '',
  /** Empty: no user is signed in. */
  token: '',
  /** Called when the server has sent a new token. */
  onToken: (_token: string) => {},
  /** Called when the server no longer knows the session. */
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
  /** Called with the `Location` of the response, such as the address of something just created. */
  onLocation?(location: string): void
  /** Called with the etag of the file in the response, for `If-Match`; empty if there is none. */
  onEtag?(etag: string): void
  /** Reads the JSON of the response; undefined: it is parsed as a whole. */
  read?: ((response: Response) => Promise<unknown>) | undefined
  /** Called with the id of the operation in which the server has changed something. */
  onOperation?: OnOperation | undefined
}

/** Receives the id of an operation (contract/README.md#operations), which undoes what the server has changed. */
export type OnOperation = (id: string) => void

/**
 * Makes one call of the contract and returns its response; the text of it if it is not JSON.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, or `signal` aborts.
 */
export async function api<A extends keyof Contract & string>(
  address: A,
  ...[input, options = {}]: Args<Contract[A]>
): Promise<Answer<Contract[A]>> {
  const { params, query, body } = (input ?? {}) as Parts
  const [method = 'GET', path = '/'] = address.split(' ')
  const { signal, bytes, read = (response: Response) => response.json() } = options
  const { token } = connection
  const url = addressOf(path, params, query)
  const send = () =>
    fetch(url, {
      method,
      headers: headers({
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...options.headers,
      }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes !== undefined && { body: bytes }),
      ...(signal && { signal }),
    })
  const response = await (takeEarlyResponse(url, token, signal) ?? send()).catch(disconnected)
  if (response.headers.get('X-Renew-Token') === 'true') void renew()
  // 202: the file has arrived, and is held back.
  const isDone = response.ok && response.status !== 202
  const failure = isDone ? undefined : refusal(response.status, await response.text(), token, address)
  reportOperation(response.headers.get('X-Operation'), failure, options.onOperation)
  if (failure) throw failure
  options.onLocation?.(response.headers.get('Location') ?? '')
  options.onEtag?.(response.headers.get('ETag') ?? '')
  // The type comes from the contract. The server has filtered the response by the same schema.
  const type = response.headers.get('Content-Type') ?? ''
  const received = type.startsWith('application/json') ? read(response) : response.text()
  return (await received.catch(disconnected)) as never
}

function disconnected(error: Error): never {
  throw new ApiProblem(0, error.name === 'AbortError' ? 'network.aborted' : 'network.lost', error.message)
}

/** Passes the id of an operation on if it has changed something: also if only a command that runs afterwards failed. */
export function reportOperation(
  id: string | null,
  failure: ApiProblem | undefined,
  onOperation: OnOperation | undefined,
): void {
  if (id && (!failure || failure.code === 'hook.after')) onOperation?.(id)
}

/** The headers that every call sends. */
export function headers(more: Record<string, string> = {}): Record<string, string> {
  return { Accept: 'application/json', ...(connection.token && { 'X-Auth': connection.token }), ...more }
}

/** The address of a call. `params['*']` is a decoded path that starts with a slash. */
export function addressOf(
  path: string,
  params: Record<string, string | number> = {},
  query: Record<string, string> = {},
): string {
  const values = new Map(Object.entries(params))
  const filled = path
    .replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(values.get(key) ?? ''))
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
 * Reads a problem document (contract/README.md#errors). A response of a proxy keeps its status. A 401 ends the session,
 * unless the call was made with another token than the current one: then it arrived after a new sign-in.
 *
 * @param token the token that the call was made with
 */
export function refusal(status: number, text: string, token: string, address = ''): ApiProblem {
  const problem = parse(text)
  // A wrong password gets 403. A 401 means that the session has ended, unless the call requires something else.
  const isOther = /^share|proof/.test(problem.code ?? '')
  const isLost = status === 401 && !isOther && address !== 'POST /api/login'
  if (isLost && token === connection.token) connection.onSignedOut()
  const { code = byStatus(status), detail = text.slice(0, 200), details } = problem
  return new ApiProblem(status, code, detail, details ?? {})
}

interface ProblemBody {
  code?: ProblemCode
  detail?: string
  details?: { field?: string; why?: FailureCode }
}

function parse(text: string): ProblemBody {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value ? value : {}
  } catch {
    // An error page of a proxy: only the status is known.
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

/** Exchanges the token for a new one. Concurrent calls share one request (contract/README.md#sessions). */
export function renew(): Promise<void> {
  const before = connection.token
  renewing ??= api('POST /api/renew')
    .then((token) => {
      // The user may have signed out meanwhile, or another user may have signed in.
      if (connection.token !== before) return
      connection.token = token
      connection.onToken(token)
    })
    // The old token stays valid for a while. The next response requests the renewal again.
    .catch(() => undefined)
    .finally(() => {
      renewing = undefined
    })
  return renewing
}
