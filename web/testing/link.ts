import type { GivenReferences, ShareConditions, ShareRights } from '#contract/shares.ts'
import { testUser } from './browser.ts'

/** The rights and conditions of a link, besides its password. */
export type LinkOptions = {
  password?: string | undefined
  expires?: string
  rights?: ShareRights
  paths?: string[]
} & ShareConditions &
  GivenReferences

/** Signs in as `testUser` without a page, and shares `path`, like another device. */
export async function createShare(
  address: string,
  path: string,
  body: LinkOptions = {},
): Promise<{ hash: string; token: string }> {
  const call = (at: string, body: object, token = '') =>
    fetch(address + at, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  const login = await call('/api/login', { username: testUser.name, password: testUser.password })
  const token = await login.text()
  const made = await call(`/api/share${encodeURI(path).replace(/[#?]/g, encodeURIComponent)}`, body, token)
  const { hash } = (await made.json()) as { hash: string }
  return { hash, token }
}
