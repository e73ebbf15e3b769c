import type { GivenConditions, ShareRights, ShareView } from '#contract/shares.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { sizeBase } from '#web/ui/format/format.ts'
import type { LinkChange } from '../share-state.ts'
import { expiryOf, type Lifetime, localTime } from './lifetime.ts'
import { gives, receives } from './rights.ts'

/** The units of a size, as powers of 1024, or of 1000 if the user prefers these. */
export const sizeUnits = ['1', '2', '3', '4'] as const
export type SizeUnit = (typeof sizeUnits)[number]

/** What the form of a link has in its fields. Empty: there is no such condition. */
export interface Draft {
  rights: ShareRights
  lifetime: Lifetime
  lastDay: string
  password: string
  /** Removes the password of an existing link. */
  isOpened: boolean
  title: string
  message: string
  slug: string
  /** As in `2026-12-01T08:30`, on the clock of this device. */
  starts: string
  maxDownloads: string
  maxFiles: string
  maxFileSize: string
  fileUnit: SizeUnit
  maxBytes: string
  totalUnit: SizeUnit
  types: string
  askName: boolean
}

/** The fields of a new link. */
export const newDraft: Draft = {
  ...{ rights: 'download', lifetime: 'never', lastDay: '', password: '', isOpened: false },
  ...{ title: '', message: '', slug: '', starts: '', maxDownloads: '', maxFiles: '' },
  ...{ maxFileSize: '', fileUnit: '2', maxBytes: '', totalUnit: '3', types: '', askName: false },
}

/** The fields of an existing link. */
export function draftOf(link: ShareView): Draft {
  const { title = '', message = '', slug = '', askName = false, types = [] } = link
  const starts = Date.parse(link.starts ?? '')
  const file = sizeIn(link.maxFileSize, newDraft.fileUnit)
  const total = sizeIn(link.maxBytes, newDraft.totalUnit)
  return {
    ...newDraft,
    ...{ rights: link.rights, lifetime: link.expire === 0 ? 'never' : 'same' },
    ...{ title, message, slug, askName, types: types.join(', ') },
    starts: Number.isNaN(starts) ? '' : localTime(starts),
    maxDownloads: String(link.maxDownloads ?? ''),
    maxFiles: String(link.maxFiles ?? ''),
    ...{ maxFileSize: file.count, fileUnit: file.unit, maxBytes: total.count, totalUnit: total.unit },
  }
}

/**
 * The body of the request for these fields: of a link that is changed, only what differs from it, so that nothing else
 * is refused, rounded or overwritten. Conditions that do not fit the rights are cleared. Undefined if the last day is
 * missing or over, or the start is not a time.
 *
 * @param before the link that is changed; undefined: a new one
 */
export function changeOf(draft: Draft, before: ShareView | undefined): LinkChange | undefined {
  const { rights, lifetime, lastDay, password, isOpened } = draft
  const expiry = lifetime === 'same' ? {} : expiryOf(lifetime, lastDay)
  if (!expiry || !isTime(draft.starts)) return undefined
  const unchanged = before ? draftOf(before) : newDraft
  const conditions = conditionsOf(draft)
  const old = conditionsOf(unchanged)
  const given = Object.entries(conditions).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(ownEntry(old, name)),
  )
  return {
    ...(rights !== unchanged.rights && { rights }),
    ...expiry,
    ...(before && lifetime === 'never' && before.expire !== 0 && { expires: null }),
    ...(password && { password }),
    ...(before && isOpened && { password: null }),
    ...Object.fromEntries(given),
  }
}

/** Whether `starts` is empty or a time. Fields for times also accept years with five or six digits, which are none here. */
export function isTime(starts: string): boolean {
  return !starts || !Number.isNaN(Date.parse(starts))
}

/** The conditions in the fields; `null` for those without one. */
function conditionsOf(draft: Draft): GivenConditions {
  const { rights, title, message, slug, starts } = draft
  const isGiving = gives(rights)
  const isReceiving = receives(rights)
  const types = typesIn(draft.types)
  return {
    title: title.trim() || null,
    message: message.trim() || null,
    slug: slug.trim() || null,
    starts: starts ? new Date(starts).toISOString() : null,
    maxDownloads: isGiving ? count(draft.maxDownloads) : null,
    maxFiles: isReceiving ? count(draft.maxFiles) : null,
    maxFileSize: isReceiving ? bytes(draft.maxFileSize, draft.fileUnit) : null,
    maxBytes: isReceiving ? bytes(draft.maxBytes, draft.totalUnit) : null,
    types: isReceiving && types.length > 0 ? types : null,
    askName: (isReceiving && draft.askName) || null,
  }
}

/** The types in a list that is separated by commas or spaces. `pdf` and `*.pdf` mean `.pdf`. */
function typesIn(written: string): string[] {
  const all = written.split(/[\s,;]+/).filter(Boolean)
  return all.map((type) => (type.includes('/') ? type : `.${type.replace(/^\*?\./, '')}`))
}

function count(written: string): number | null {
  return written ? Number(written) : null
}

function bytes(written: string, unit: SizeUnit): number | null {
  return written ? Math.max(1, Math.round(Number(written) * sizeBase() ** Number(unit))) : null
}

/** A size in the largest unit in which it is at least 1. */
function sizeIn(size: number | undefined, usual: SizeUnit): { count: string; unit: SizeUnit } {
  if (size === undefined) return { count: '', unit: usual }
  const unit = sizeUnits.findLast((one) => size >= sizeBase() ** Number(one)) ?? '1'
  return { count: String(Number((size / sizeBase() ** Number(unit)).toPrecision(6))), unit }
}
