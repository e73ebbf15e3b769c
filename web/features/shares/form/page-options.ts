import type { NoticeChannel } from '#contract/notices/notices.ts'
import type { GivenConditions } from '#contract/shares.ts'

/** How the files are shown, and the theme; empty: as the visitor prefers. */
export type View = '' | 'list' | 'mosaic' | 'gallery'
export type Theme = '' | 'light' | 'dark'

/** Where the owner of a link reads about its visitors. */
export const noticeChannels: readonly NoticeChannel[] = ['page', 'mail', 'webhook']

/** The look of the page of a link; null: as the visitor prefers. */
export function lookOf({
  view,
  theme,
}: {
  view: View
  theme: Theme
}): NonNullable<GivenConditions['look']> | null {
  return view || theme ? { ...(view && { view }), ...(theme && { theme }) } : null
}

/** Where the owner is notified; null: as usual, in the page. */
export function noticesOf(chosen: readonly NoticeChannel[]): NoticeChannel[] | null {
  const inOrder = noticeChannels.filter((one) => chosen.includes(one))
  return inOrder.join() === 'page' ? null : inOrder
}
