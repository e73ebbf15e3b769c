import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useEffect } from 'react'
import { ref } from 'valtio'
import type { PublishState } from '#contract/publish.ts'
import { api } from '#web/api/client.ts'
import { type Badge, badges } from '#web/shared/marks/badges.ts'
import { formatDate } from '#web/ui/format/format.ts'
import { isContentFolder, useSite } from './site-state.ts'

interface SiteStatusProps {
  /** The decoded path of the shown folder, with a closing slash; undefined if none is shown. */
  folder: string | undefined
  /** The listing of this folder. The status is fetched again after each one. */
  items: unknown
}

/** Sets the badges of the posts and pages in the shown folder. Shows nothing itself. */
export function SiteStatus({ folder, items }: SiteStatusProps) {
  const site = useSite()
  const isContent = site && folder ? isContentFolder(site, folder) : false
  // biome-ignore lint/correctness/useExhaustiveDependencies: each listing may have other files.
  useEffect(() => {
    if (!folder || !isContent) return
    const controller = new AbortController()
    void fetchBadges(folder, controller.signal)
    return () => controller.abort()
  }, [folder, isContent, items])
  return null
}

/** Fetches the status of the files in `folder`. The list stays as it is if that fails. */
async function fetchBadges(folder: string, signal: AbortSignal): Promise<void> {
  const states = await api('GET /api/site/status/*', { params: { '*': folder } }, { signal }).catch(() => [])
  if (signal.aborted) return
  const byName = new Map(states.flatMap((state) => entryOf(state)))
  Object.assign(badges, { folder, byName: ref(byName) })
}

/** The badge of a file. A published file has none. */
function entryOf({ name, state, at }: PublishState): [string, Badge][] {
  const detail = at ? formatDate(Date.parse(at), i18n.locale) : ''
  if (state === 'draft') return [[name, { text: i18n._(msg`Draft`), detail: '' }]]
  if (state === 'scheduled') return [[name, { text: i18n._(msg`Scheduled`), detail }]]
  return state === 'future' ? [[name, { text: i18n._(msg`Future`), detail }]] : []
}
