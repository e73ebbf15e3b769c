import type { TrashList } from '#contract/history/kept.ts'
import type { Principal } from '#src/access/principal.ts'
import type { Scan, ScanOwner } from '#src/core/database/scans.ts'
import { Problem } from '#src/core/problem.ts'
import { pathOfKept } from '#src/files/kept/kept-access.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { KeptServices } from './kept-services.ts'
import { createKeptReader, type Position } from './records/kept-rows.ts'
import { type Shown, type TrashSlice, type TrashSliceOptions, trashSliceOf } from './records/trash-slice.ts'
import { itemView } from './trash-item.ts'

/** Which part of the trash to list. */
export interface TrashQuery {
  /** Text in the path, in any case. Empty: all. */
  search?: string | undefined
  /** `next` of the page before. */
  after?: string | undefined
  limit?: number | undefined
}

const defaultLimit = 100
/** Entries that one request examines when rules or a search must be checked for each. */
const mostExamined = 200_000

/** Which entries of a page to list. */
type Page = Pick<TrashSliceOptions, 'after' | 'search'> & { limit: number }

/** Lists the entries of the trash that a reader may see. */
export function createTrashList({ root, nameOf, scans }: Pick<KeptServices, 'root' | 'nameOf' | 'scans'>) {
  const optionsOf = (
    actor: Principal,
    { root: scope }: Jail,
  ): Omit<TrashSliceOptions, keyof Page | 'most'> => {
    const { rules, user } = actor
    return { root, scope, rules, hideDotfiles: user.hideDotfiles }
  }

  /** Entries that the reader may see, the newest first, in slices. Another scan of the reader may run between two slices. */
  async function* visible(actor: Principal, by: ScanOwner): AsyncGenerator<readonly Shown[]> {
    const jail = await actor.jail()
    let position: Position | undefined
    for (let examined = 0; examined < mostExamined; ) {
      const options = {
        ...optionsOf(actor, jail),
        search: '',
        after: undefined,
        most: Number.POSITIVE_INFINITY,
      }
      const slice = await scans.run(by, (scan) => scan.slice<TrashSlice>(...trashSliceOf(position, options)))
      yield slice.result.shown
      if (slice.isLast) return
      position = slice.result.last
      examined += slice.result.inScope
    }
  }

  /** Without rules and without a search, the database counts. */
  async function listAll(scan: Scan, jail: Jail, { after, limit }: Page): Promise<TrashList> {
    const reader = createKeptReader(scan)
    const folder = servedPath(root, jail.root)
    const rows = await reader.trash(folder, { after, limit: limit + 1 })
    const shown = rows.flatMap((row): Shown[] => {
      const path = pathOfKept(jail, { root, was: row.path })
      return path === undefined ? [] : [{ row, path }]
    })
    return { ...pageOf(shown, limit, nameOf), ...(await reader.trashTotal(folder)) }
  }

  /** Examines every entry once. */
  async function search(
    scan: Scan,
    about: Omit<TrashSliceOptions, keyof Page | 'most'>,
    { limit, ...page }: Page,
  ): Promise<TrashList> {
    const shown: Shown[] = []
    let [total, size] = [0, 0]
    let position: Position | undefined
    for (let examined = 0; examined < mostExamined; ) {
      const options = { ...about, ...page, most: limit + 1 - shown.length }
      const slice = await scan.slice<TrashSlice>(...trashSliceOf(position, options))
      shown.push(...slice.result.shown)
      total += slice.result.total
      size += slice.result.size
      if (slice.isLast) break
      position = slice.result.last
      examined += slice.result.inScope
    }
    return { ...pageOf(shown, limit, nameOf), total, size }
  }

  return {
    visible,

    /** Lists a page, the newest first. @throws Problem `request.invalid` for a wrong `after`. */
    async list(
      actor: Principal,
      by: ScanOwner,
      { search: text = '', after: given, limit = defaultLimit }: TrashQuery,
    ): Promise<TrashList> {
      const page = { search: text, after: positionOf(given), limit }
      return scans.run(by, async (scan) => {
        const jail = await actor.jail()
        const isPlain = text === '' && actor.rules.length === 0 && !actor.user.hideDotfiles
        return isPlain ? listAll(scan, jail, page) : search(scan, optionsOf(actor, jail), page)
      })
    },
  }
}

/** A page of at most `limit` entries, from at least one more if there is one. */
function pageOf(
  shown: readonly Shown[],
  limit: number,
  nameOf: KeptServices['nameOf'],
): Pick<TrashList, 'items' | 'next'> {
  const page = shown.slice(0, limit)
  const items = page.map(({ row, path }) => itemView(row, path, nameOf(row.user)))
  const last = shown.length > limit ? page.at(-1)?.row : undefined
  return { items, ...(last && { next: `${last.time}.${last.id}` }) }
}

function positionOf(after: string | undefined): Position | undefined {
  if (after === undefined) return undefined
  const [, time, id = ''] = /^(\d{1,15})\.([\w-]{1,40})$/.exec(after) ?? []
  if (time === undefined)
    throw new Problem('request.invalid', { field: 'after', reason: 'must be `next` of a page' })
  return { time: Number(time), id }
}
