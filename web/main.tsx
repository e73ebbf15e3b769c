import './style/base.css'
import './style/tokens.css'
import type { TokenUser } from '#contract/users.ts'
import { registerActions } from './actions/registry.ts'
import { allActions } from './app/all-actions.ts'
import { DropZone, FileFrame } from './app/frame/shell.tsx'
import { render } from './app/root.tsx'
import { LoginPage } from './app/routes.tsx'
import { endSplash, showStartError } from './app/splash.ts'
import { FileMosaic, FolderTools } from './features/files/files-page.tsx'
import { NewItemDialog } from './features/files/menus/files-actions.ts'
import { refreshWhenOnline, showPath } from './features/files/state/files-state.ts'
import { isMosaic } from './features/files/state/view-mode.ts'
import { activateLanguage, loadAllMessages } from './shared/i18n.ts'
import { watchNavigation } from './shared/navigation-guard.ts'
import { readPage } from './shared/page.ts'
import { resourceIn } from './shared/paths.ts'
import { restoreSession, session } from './shared/session.ts'
import { applyLaterStyles } from './ui/loading/later-styles.ts'

/** Waits at most this long for the listing before the first render, in milliseconds, to avoid rendering twice. */
const maxWaitMs = 400

async function start(): Promise<void> {
  readPage()
  watchNavigation()
  refreshWhenOnline()
  registerActions(...allActions)
  // If sign-in happens without a form and the server refuses it, the sign-in page shows the refusal.
  await restoreSession().catch(() => undefined)
  const language = activateLanguage(session.user?.locale ?? '')
  const first =
    session.user && !session.user.mustChangePassword
      ? firstListing(session.user)
      : [LoginPage.preload(), loadAllMessages()]
  await Promise.all([language, ...first])
  render(document.getElementById('app') as HTMLElement)
  // Preloads the code that the next click may need while the browser is idle.
  requestIdle(() => {
    void applyLaterStyles().catch(() => undefined)
    for (const view of [FolderTools, DropZone, FileFrame, NewItemDialog])
      void view.preload().catch(() => undefined)
  })
}

function firstListing(user: TokenUser): Promise<void>[] {
  const path = resourceIn(location.pathname)
  return path === undefined
    ? []
    : [soon(showPath(path)), ...(isMosaic(user) ? [FileMosaic.preload().catch(() => undefined)] : [])]
}

function soon(task: Promise<void>): Promise<void> {
  return Promise.race([task, new Promise<void>((resolve) => setTimeout(resolve, maxWaitMs))])
}

function requestIdle(task: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(task, { timeout: 5000 })
  else setTimeout(task, 2000)
}

void start().then(endSplash, showStartError)
