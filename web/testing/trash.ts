import type { Locator, Page } from 'playwright-core'
import type { TrashItem } from '#contract/history/kept.ts'

/** The rows of the trash in the document. */
export const rows = (page: Page): Locator => page.locator('[data-part=row]')

/** The row of the trash that contains `text`. */
export const row = (page: Page, text: string): Locator => rows(page).filter({ hasText: text })

/** The line below the list with the number of entries. */
export const status = (page: Page): Locator => page.locator('[data-part=trash] footer [role=status]')

/** The names in the visible rows, from top to bottom; with `only`, of those that match this selector. */
export const namesIn = (page: Page, only = ''): Promise<string[]> =>
  page
    .locator(`[data-part=row]${only}`)
    .evaluateAll((rows) =>
      rows.map((row) => row.querySelector<HTMLElement>('[data-full]')?.dataset.full ?? ''),
    )

/** The `n`th of `fakeTrash`, with changes. */
export function trashItem(n: number, change: Partial<TrashItem> = {}): TrashItem {
  const name = change.name ?? `file ${n}.txt`
  return {
    ...{ id: `i${n}`, name, path: `/a/${name}`, isDir: false, type: 'text', size: n, by: 'ann' },
    ...{ deleted: '2026-01-02T03:04:05Z', modified: '2026-01-02T03:04:05Z' },
    ...change,
  }
}

interface FakeTrash {
  /** The entries at the time of a request. */
  items(): readonly TrashItem[]
  /** Whether a request fails. */
  isBroken?(): boolean
}

/** Answers `GET /api/trash` with these entries, in pages. Returns the positions of the requested pages. */
export async function fakeTrash(page: Page, { items, isBroken = () => false }: FakeTrash): Promise<string[]> {
  const requested: string[] = []
  // A connection makes the page read the list again.
  await page.route('**/api/events', (route) => route.abort())
  await page.route('**/api/trash?*', async (route) => {
    const query = new URL(route.request().url()).searchParams
    const [from, limit] = [Number(query.get('after') ?? 0), Number(query.get('limit'))]
    requested.push(String(from))
    if (isBroken()) return route.fulfill({ status: 500, json: { code: 'disk.failed' } })
    const all = items()
    const next = from + limit < all.length ? { next: String(from + limit) } : {}
    return route.fulfill({
      json: { items: all.slice(from, from + limit), total: all.length, size: 1e9, ...next },
    })
  })
  return requested
}
