import type { ShareOffer } from '#contract/shares.ts'
import type { ShareRecord } from '#src/state/state.ts'
import { rightsOf } from '../share-record.ts'
import type { LinkUse } from '../use/link-use.ts'

/** The latest time that a `Date` can have (ECMA-262 §21.4.1.1). */
const latestMs = 8.64e15

/** Data about a share for its visitors. Undefined: it has no conditions and only allows downloads. */
export function offerOf(share: ShareRecord, use: Pick<LinkUse, 'left'>): ShareOffer | undefined {
  const { conditions, cover, expire } = share
  const rights = rightsOf(share)
  if (rights === 'download' && !conditions && !cover) return undefined
  const { files, size, downloads } = use.left(share)
  const ends = expire !== 0 && expire * 1000 <= latestMs ? new Date(expire * 1000).toISOString() : undefined
  const { title, message, from, look, askName, types } = conditions ?? {}
  const all = {
    rights,
    ...{ title, message, from, look, askName, types },
    hasCover: cover ? true : undefined,
    maxFileSize: size,
    filesLeft: files,
    downloadsLeft: downloads,
    ends,
  }
  const given = Object.entries(all).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as ShareOffer
}
