import type { TrashList } from '#contract/history/kept.ts'
import type { Principal } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { foldName } from '#src/core/text/fold.ts'
import { servedPath } from '#src/files/paths/reach.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { KeptTools } from './kept-tools.ts'
import type { KeptReader, KeptRow, Position } from './records/kept-rows.ts'
import { itemView, pathInScope } from './scope.ts'

/** Which part of the trash to list. */
export interface TrashQuery {
  /** Text in the path, in any case. Empty: all. */
  search?: string | undefined
  /** `next` of the page before. */
  after?: string | undefined
  limit?: number | undefined
}

/** An entry, and its path in the scope of the reader. */
export interface Shown {
  row: KeptRow
  path: UserPath
}

const defaultLimit = 100
// Rows that are read at once, and that one request examines, when rules or a search must be checked for each.
const chunk = 2000
const mostExamined = 200_000

/** Lists the entries of the trash that a reader may see. */
export function createTrashList(
  reader: Pick<KeptReader, 'trash' | 'trashTotal'>,
  { root, nameOf }: Pick<KeptTools, 'root' | 'nameOf'>,
) {
  /** Entries that the reader may see, the newest first. */
  async function* visible(jail: Jail): AsyncGenerator<Shown> {
    const folder = servedPath(root, jail.root)
    let after: Position | undefined
    for (let examined = 0; examined < mostExamined; examined += chunk) {
      const rows = await reader.trash(folder, { after, limit: chunk })
      yield* rows.flatMap((row) => shownIn(root, jail, row))
      if (rows.length < chunk) return
      after = rows.at(-1)
    }
  }

  /** Without rules and without a search, the database counts. */
  async function listAll(jail: Jail, after: Position | undefined, limit: number): Promise<TrashList> {
    const folder = servedPath(root, jail.root)
    const rows = await reader.trash(folder, { after, limit: limit + 1 })
    const page = pageOf(
      rows.flatMap((row) => shownIn(root, jail, row)),
      limit,
      nameOf,
    )
    return { ...page, ...(await reader.trashTotal(folder)) }
  }

  async function search(
    jail: Jail,
    text: string,
    { after, limit }: { after: Position | undefined; limit: number },
  ): Promise<TrashList> {
    const wanted = foldName(text)
    const shown: Shown[] = []
    let [total, size] = [0, 0]
    for await (const { row, path } of visible(jail)) {
      if (!foldName(path).includes(wanted)) continue
      total++
      size += row.size ?? 0
      if (shown.length <= limit && isAfter(row, after)) shown.push({ row, path })
    }
    return { ...pageOf(shown, limit, nameOf), total, size }
  }

  return {
    visible,

    /** Lists a page, the newest first. @throws Problem `request.invalid` for a wrong `after`. */
    async list(
      actor: Principal,
      { search: text = '', after: given, limit = defaultLimit }: TrashQuery,
    ): Promise<TrashList> {
      const after = positionOf(given)
      const jail = await actor.jail()
      const isPlain = text === '' && actor.rules.length === 0 && !actor.user.hideDotfiles
      return isPlain ? listAll(jail, after, limit) : search(jail, text, { after, limit })
    },
  }
}

function shownIn(root: string, jail: Jail, row: KeptRow): Shown[] {
  const path = pathInScope(root, jail, row)
  return path === undefined ? [] : [{ row, path }]
}

/** A page of at most `limit` entries, from at least one more if there is one. */
function pageOf(
  shown: readonly Shown[],
  limit: number,
  nameOf: KeptTools['nameOf'],
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

function isAfter(row: Position, position: Position | undefined): boolean {
  if (!position) return true
  return row.time < position.time || (row.time === position.time && row.id < position.id)
}
