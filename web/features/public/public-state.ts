import { proxy, ref } from 'valtio'
import type { FileView, Listing } from '#contract/resources.ts'
import { addressOf, api, type FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { namesInAddress, selectionOf } from '#web/api/raw.ts'
import { decodePath, withoutBase } from '#web/app/paths.ts'

/** What a visitor sees of a link. */
export const visit = proxy({
  hash: '',
  /** Undefined until it is loaded. */
  view: undefined as Listing | FileView | undefined,
  failure: undefined as FailureCode | undefined,
  /** Opens the downloads of a link with a password, for an hour (contract W8); otherwise empty. */
  token: '',
})

/** How long a password opens downloads (contract W8), in milliseconds; a little less, for the answer was on its way. */
const unlockMs = 59 * 60_000
let unlocked = 0

/** Whether what a password has opened is closed again. */
export function isUnlockOver(): boolean {
  return visit.token !== '' && Date.now() - unlocked > unlockMs
}

/** The link and the decoded path inside it that an address under `/share` means; undefined when it is broken. */
export function shareIn(pathname: string): { hash: string; path: string } | undefined {
  const [, hash = '', rest = ''] = /^\/share\/([^/]+)(.*)$/.exec(withoutBase(pathname)) ?? []
  const path = decodePath(rest)
  return hash && path !== undefined ? { hash, path } : undefined
}

let latest = 0

/** Looks at `path` inside the link `hash`; with a password where the link asks for one. */
export async function look(hash: string, path: string, password?: string): Promise<void> {
  const mine = ++latest
  if (visit.hash !== hash) Object.assign(visit, { hash, view: undefined, token: '' })
  try {
    const view = await api(
      'GET /api/public/share/*',
      { params: { '*': `/${hash}${path}` }, query: visit.token ? { token: visit.token } : {} },
      // Percent-encoded, for headers carry no other alphabet.
      password ? { headers: { 'X-Share-Password': encodeURIComponent(password) } } : {},
    )
    if (mine !== latest) return
    if (view.token) unlocked = Date.now()
    Object.assign(visit, { view: ref(view), failure: undefined, token: view.token ?? visit.token })
  } catch (error) {
    if (mine !== latest) return
    const failure = codeOf(error)
    const isLocked = failure === 'share.password'
    Object.assign(visit, { view: undefined, failure, ...(isLocked && { token: '' }) })
  }
}

interface Wanted {
  /** An archive of a folder: its kind. */
  algo?: string
  /** Names in the folder; empty: all of it. */
  names?: readonly string[]
  /** To show instead of to save. */
  inline?: boolean
}

/** The address of the bytes at `path` inside the link that is open. */
export function downloadAddress(path: string, { algo, names = [], inline }: Wanted = {}): string {
  const files = namesInAddress(names)
  return addressAt(path, {
    ...(inline && { inline: 'true' }),
    ...(algo && { algo }),
    ...(files && { files }),
  })
}

/** As `downloadAddress`, for names of any number. @throws ApiProblem when the server does not take them. */
export async function choiceAddress(path: string, { algo = '', names = [] }: Wanted): Promise<string> {
  return addressAt(path, { algo, ...(await selectionOf(names)) })
}

function addressAt(path: string, query: Record<string, string>): string {
  const token = visit.token ? { token: visit.token } : {}
  return addressOf('/api/public/dl/*', { '*': `/${visit.hash}${path}` }, { ...token, ...query })
}
