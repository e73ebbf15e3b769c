// The first script of the page, so small that it runs long before the others have arrived. It requests the folder or
// file at the address, so that the server reads it meanwhile.
import type { PageSettings } from '#contract/system.ts'
import type { TokenUser } from '#contract/users.ts'
import type { EarlyRequest } from './api/early-request.ts'

function begin(): EarlyRequest | undefined {
  const settings: Partial<PageSettings> = JSON.parse(document.getElementById('settings')?.textContent ?? '{}')
  const { BaseURL: base = '', LoginPage: hasSessions } = settings
  const pages = `${base}/files/`
  const token = localStorage.getItem('jwt')
  if (!hasSessions || !token || !location.pathname.startsWith(pages)) return undefined
  const payload = token.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? ''
  const { exp, user }: { exp: number; user: TokenUser } = JSON.parse(atob(payload))
  if (exp * 1000 < Date.now() || user.mustChangePassword) return undefined
  const path = location.pathname
    .slice(pages.length)
    .split('/')
    .map(decodeURIComponent)
    .map(encodeURIComponent)
  const url = `${base}/api/resources/${path.join('/')}`
  const controller = new AbortController()
  const { signal } = controller
  const response = fetch(url, { headers: { Accept: 'application/json', 'X-Auth': token }, signal })
  // The page reports an error when it uses the response.
  response.catch(() => undefined)
  return { url, token, response, controller }
}

try {
  globalThis.earlyRequest = begin()
} catch {
  // A broken address or token, or no storage: the page finds the same and reports it.
}
