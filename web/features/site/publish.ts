import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Published } from '#contract/publish.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { announceChange } from '#web/shared/changes.ts'
import { ownChange } from '#web/shared/live/own-changes.ts'
import { nameOf } from '#web/shared/paths.ts'
import { quoted } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { outputOf } from './build-output-text.ts'
import { siteState } from './site-state.ts'

const BuildOutputDialog = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).BuildOutputDialog,
)

/** “Published sea.md”, or the website. */
function publishedText(path: string): string {
  const one = quoted(nameOf(path))
  return path === siteState.site?.root ? i18n._(msg`Published the site`) : i18n._(msg`Published ${one}`)
}

/**
 * Publishes the file at `path`, or the whole website if `path` is its root, and shows the result, with Undo. Undefined: it
 * failed.
 */
export async function publish(path: string): Promise<Published | undefined> {
  try {
    const text = publishedText(path)
    const done = await ownChange(() =>
      recorded({ text }, (onOperation) =>
        api('POST /api/publish/*', { params: { '*': path }, query: {} }, { onOperation }),
      ),
    )
    // The generator may have changed any folder of the website.
    announceChange(undefined)
    return done
  } catch (error) {
    await showPublishError(error)
    return undefined
  }
}

/** Publishes the whole website. */
export async function publishSite(root: string): Promise<void> {
  if (siteState.isPublishing) return
  siteState.isPublishing = true
  await publish(root).finally(() => {
    siteState.isPublishing = false
  })
}

/**
 * Opens a preview of the website in a new tab. The tab opens at once, because browsers block tabs that open later. It
 * closes again if the preview cannot be built.
 *
 * @param save saves an open text first. Returns false when that failed
 */
export async function openPreview(save: () => Promise<boolean> = async () => true): Promise<void> {
  const tab = window.open('', '_blank')
  if (tab) {
    // The scripts of the website must not reach this page.
    tab.opener = null
    tab.document.title = i18n._(msg`Building the preview…`)
    tab.document.body.textContent = i18n._(msg`Building the preview…`)
  }
  try {
    if (!(await save())) {
      tab?.close()
      return
    }
    const { url } = await api('POST /api/site/preview')
    if (!tab)
      showToast('error', i18n._(msg`The browser has blocked the new tab. Allow pop-ups for this page.`))
    else tab.location.href = new URL(url, location.href).href
  } catch (error) {
    tab?.close()
    await showPublishError(error)
  }
}

/** Shows an error. If the generator failed, shows its last lines, too. */
export async function showPublishError(error: unknown): Promise<void> {
  const code = codeOf(error)
  if (code === 'network.aborted') return
  if (code === 'site.failed') await ask(BuildOutputDialog, { output: outputOf(error) })
  else showToast('error', i18n._(problemText(code)))
}
