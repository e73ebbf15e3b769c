import type { NoticeChannel } from '#contract/notices/notices.ts'
import type { GivenConditions, GivenReferences, ShareRights, ShareView } from '#contract/shares.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { sizeBase } from '#web/ui/format/format.ts'
import type { LinkChange } from '../share-state.ts'
import { expiryOf, type Lifetime, localTime, type TimeUnit } from './lifetime.ts'
import { lookOf, noticesOf, type Theme, type View } from './page-options.ts'
import { gives, receives, showsFiles } from './rights.ts'

/** The units of a size, as powers of 1024, or of 1000 if the user prefers these. */
export const sizeUnits = ['1', '2', '3', '4'] as const
export type SizeUnit = (typeof sizeUnits)[number]

/** What the form of a link has in its fields. Empty: there is no such condition. */
export interface Draft {
  rights: ShareRights
  lifetime: Lifetime
  lastDay: string
  /** For `time`: how many units. */
  length: string
  lengthUnit: TimeUnit
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
  maxVisitors: string
  /** Bytes a second, in `rateUnit`. */
  rate: string
  rateUnit: SizeUnit
  people: readonly string[]
  /** What is typed and not among `people` yet: a name, or several with commas. */
  person: string
  from: string
  /** A decoded path of the user's files. */
  cover: string
  view: View
  theme: Theme
  notify: readonly NoticeChannel[]
}

/** A part of the form of a link. */
export interface FormPartProps {
  draft: Draft
  onChange(part: Partial<Draft>): void
}

/** The fields of a new link, where everything is allowed. */
export const newDraft: Draft = {
  ...{ rights: 'download', lifetime: 'never', lastDay: '', length: '', lengthUnit: 'days' },
  ...{ password: '', isOpened: false, people: [], person: '' },
  ...{ title: '', message: '', slug: '', starts: '', maxDownloads: '', maxFiles: '' },
  ...{ maxFileSize: '', fileUnit: '2', maxBytes: '', totalUnit: '3', types: '', askName: false },
  ...{ maxVisitors: '', rate: '', rateUnit: '2', from: '', cover: '', view: '', theme: '', notify: ['page'] },
}

/** The fields of an existing link. */
export function draftOf(link: ShareView): Draft {
  const { title = '', message = '', slug = '', askName = false, types = [] } = link
  const { from = '', cover = '', people = [], look = {}, notify = newDraft.notify } = link
  const starts = Date.parse(link.starts ?? '')
  const file = sizeIn(link.maxFileSize, newDraft.fileUnit)
  const total = sizeIn(link.maxBytes, newDraft.totalUnit)
  const rate = sizeIn(link.rate, newDraft.rateUnit)
  return {
    ...newDraft,
    ...{ rights: link.rights, lifetime: link.expire === 0 ? 'never' : 'same' },
    ...{ title, message, slug, askName, types: types.join(', ') },
    starts: Number.isNaN(starts) ? '' : localTime(starts),
    ...{ from, cover, people, notify, view: look.view ?? '', theme: look.theme ?? '' },
    ...{ rate: rate.count, rateUnit: rate.unit, maxVisitors: String(link.maxVisitors ?? '') },
    maxDownloads: String(link.maxDownloads ?? ''),
    maxFiles: String(link.maxFiles ?? ''),
    ...{ maxFileSize: file.count, fileUnit: file.unit, maxBytes: total.count, totalUnit: total.unit },
  }
}

/**
 * The body of the request for these fields: of a link that is changed, only what differs from it, so that nothing else
 * is refused, rounded or overwritten. Conditions that do not fit the rights are cleared. Undefined if the last day is
 * missing or over, the length of its life is missing, or the start is not a time.
 *
 * @param before the link that is changed; undefined: a new one
 */
export function changeOf(draft: Draft, before: ShareView | undefined): LinkChange | undefined {
  const { rights, lifetime, password, isOpened } = draft
  const expiry = lifetime === 'same' ? {} : expiryOf(lifetime, draft)
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
function conditionsOf(draft: Draft): GivenConditions & GivenReferences {
  const { rights, starts } = draft
  const people = peopleIn(draft)
  return {
    title: text(draft.title),
    message: text(draft.message),
    slug: text(draft.slug),
    from: text(draft.from),
    cover: text(draft.cover),
    starts: starts ? new Date(starts).toISOString() : null,
    people: people.length > 0 ? people : null,
    maxDownloads: gives(rights) ? count(draft.maxDownloads) : null,
    maxVisitors: count(draft.maxVisitors),
    rate: bytes(draft.rate, draft.rateUnit),
    look: lookOf({ view: showsFiles(rights) ? draft.view : '', theme: draft.theme }),
    notify: noticesOf(draft.notify),
    ...(receives(rights) ? limitsOf(draft) : noLimits),
  }
}

/** The names of people, with those that are just being typed. */
export function peopleIn({ people, person }: Pick<Draft, 'people' | 'person'>): string[] {
  const typed = person.split(',').map((name) => name.trim())
  return [...new Set([...people, ...typed])].filter(Boolean)
}

/** The limits of what is received. */
function limitsOf(draft: Draft): GivenConditions {
  const types = typesIn(draft.types)
  return {
    maxFiles: count(draft.maxFiles),
    maxFileSize: bytes(draft.maxFileSize, draft.fileUnit),
    maxBytes: bytes(draft.maxBytes, draft.totalUnit),
    types: types.length > 0 ? types : null,
    askName: draft.askName || null,
  }
}

const noLimits = { maxFiles: null, maxFileSize: null, maxBytes: null, types: null, askName: null }

function text(written: string): string | null {
  return written.trim() || null
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
