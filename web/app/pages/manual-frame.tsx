import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import { chapters } from '#web/features/manual/chapters.ts'
import { ManualPage } from '#web/features/manual/manual-page.tsx'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import settings from './settings/settings-frame.module.css'

const Markdown = lazy(async () => (await import('#web/app/chunks/later-markdown.ts')).Markdown)

interface ManualFrameProps {
  /** Without the base path. */
  path: string
}

/** The manual in the common layout: one chapter, or the list of all, also for an unknown chapter. */
export function ManualFrame({ path }: ManualFrameProps) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes every question.
  useEffect(dismissAll, [path])
  usePageShortcuts()
  if (!user) return null
  const chapter = chapters.find(({ id }) => paths.chapter(id) === path)
  const title = chapter ? `${chapter.title} – ${t`Manual`}` : t`Manual`
  return (
    <div className={`${shell.shell} ${settings.frame}`}>
      <PageTitle title={`${title} – ${page.Name}`} />
      <Sidebar context={contextWithoutFiles()} username={user.username} />
      <main className={shell.main}>
        <ManualPage chapter={chapter} Markdown={Markdown} />
      </main>
    </div>
  )
}
