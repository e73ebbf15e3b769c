import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import { useMedia } from '#web/app/frame/use-media.ts'
import { chapters } from '#web/features/manual/chapters.ts'
import { ManualPage } from '#web/features/manual/manual-page.tsx'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { ErrorPage } from './error-page.tsx'
import settings from './settings/settings-frame.module.css'

const Markdown = lazy(async () => (await import('#web/app/chunks/later-markdown.ts')).Markdown)

interface ManualFrameProps {
  /** Without the base path. */
  path: string
}

/** The manual in the common layout: the list of chapters, or one chapter. */
export function ManualFrame({ path }: ManualFrameProps) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes every question.
  useEffect(dismissAll, [path])
  usePageShortcuts()
  // As in `manual.module.css`: with less room, the list of chapters is above the text.
  const isWide = useMedia('(width > 64rem)')
  if (!user) return null
  const chapter = chapters.find(({ id }) => paths.chapter(id) === path)
  const isMissing = !chapter && path !== paths.manual
  const title = chapter ? `${chapter.title} – ${t`Manual`}` : t`Manual`
  return (
    <div className={`${shell.shell} ${settings.frame}`}>
      <PageTitle title={`${title} – ${page.Name}`} />
      <Sidebar context={contextWithoutFiles()} username={user.username} />
      <main className={shell.main}>
        {isMissing ? (
          <ErrorPage code="path.unknown" />
        ) : (
          <ManualPage chapter={chapter} isWide={isWide} Markdown={Markdown} />
        )}
      </main>
    </div>
  )
}
