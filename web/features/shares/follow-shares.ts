import { plural, t } from '@lingui/core/macro'
import { ref, subscribe } from 'valtio'
import type { ShareView } from '#contract/shares.ts'
import { api } from '#web/api/client.ts'
import { followMarks } from '#web/shared/marks/follow-marks.ts'
import { shareMarks } from '#web/shared/marks/share-marks.ts'
import { mayShare, session } from '#web/shared/session.ts'
import { stateText } from './link-state.ts'
import { shareChanges } from './share-state.ts'

/** Delay before another request when a link should have ended, but has not, in milliseconds. */
const laterMs = 60_000

/** After this time, the words of the marks may be outdated: visitors use links, and `in 4 days` changes. */
const staleMs = 10 * 60_000

/** Tells the other tabs of this browser that the links have changed. */
const tabs = new BroadcastChannel('coffer-shares')

/** Marks what the user has shared, as it is on the server: links follow moved and deleted files, and end. Called once. */
export function followShares(): void {
  const load = followMarks({
    paths: () => new Set(shareMarks.texts.keys()),
    load: loadMarks,
    forget: () => {
      shareMarks.texts = ref(new Map())
    },
    tabs,
  })
  subscribe(shareChanges, () => {
    tabs.postMessage('changed')
    load()
  })
}

/** Counts the requests. The response to an older one must not replace that to a newer one. */
let requests = 0

/**
 * Loads the marks. Without them the list still works, so an error changes nothing. Returns the time until they
 * are loaded again, in milliseconds; undefined: until something changes.
 */
async function loadMarks(): Promise<number | undefined> {
  const { user } = session
  // The server refuses the list to others.
  if (!user || !mayShare(user.perm)) return undefined
  const request = ++requests
  const all = await api('GET /api/shares').catch(() => undefined)
  if (!all || request !== requests || session.user?.id !== user.id) return undefined
  // Administrators also get the links of other users.
  const own = all.filter(({ userID }) => userID === user.id)
  shareMarks.texts = ref(textsOf(own))
  if (own.length === 0) return undefined
  const ends = own.flatMap(({ expire }) => (expire > 0 ? expire * 1000 : []))
  const restMs = Math.min(...ends, Date.now() + staleMs) - Date.now()
  // The clock of the server may be slower than the one of this device.
  return restMs > 0 ? restMs : laterMs
}

/** The words of the mark beside each shared file or folder. */
function textsOf(own: readonly ShareView[]): Map<string, string> {
  // One link may share several items.
  const each = own.flatMap((link) => (link.paths ?? [link.path]).map((path) => ({ path, link })))
  const byPath = Map.groupBy(each, ({ path }) => path.replace(/\/$/, ''))
  return new Map([...byPath].map(([path, found]) => [path, textOf(found.map(({ link }) => link))]))
}

function textOf(links: readonly ShareView[]): string {
  const [link] = links
  if (!link || links.length > 1)
    return plural(links.length, { one: 'Shared with # link', other: 'Shared with # links' })
  const state = stateText(link)
  return state ? t`Shared: ${state}` : t`Shared`
}
