import './style/base.css'
import './style/tokens.css'
import { subscribe } from 'valtio'
import type { TokenUser } from '#contract/users.ts'
import { registerActions } from './actions/registry.ts'
import { cancelEarlyRequest } from './api/early-request.ts'
import { allActions } from './app/all-actions.ts'
import { DropZone, FileFrame } from './app/frame/shell.tsx'
import { render } from './app/root.tsx'
import { LoginPage } from './app/routes.tsx'
import { endSplash, showStartError } from './app/splash.ts'
import { FileMosaic } from './features/files/files-page.tsx'
import { refreshWhenOnline } from './features/files/live/when-online.ts'
import { NewItemDialog } from './features/files/menus/files-actions.ts'
import { loadActions } from './features/files/menus/load-actions.ts'
import { files, showPath } from './features/files/state/files-state.ts'
import { forgetFilesOfOthers } from './features/files/state/follow-user.ts'
import { isMosaic } from './features/files/state/view-mode.ts'
import { activateLanguage, loadAllMessages } from './shared/i18n.ts'
import { watchKeyboard } from './shared/lists/keyboard.ts'
import { watchNavigation } from './shared/navigation-guard.ts'
import { readPage } from './shared/page.ts'
import { resourceIn, withoutBase } from './shared/paths.ts'
import { restoreSession, session } from './shared/session.ts'
import { watchFocus } from './ui/layers/lost-focus.ts'
import { applyLaterStyles, fetchLaterStyles } from './ui/loading/later-styles.ts'
import { setMessageLoader } from './ui/loading/load-later.ts'

/** Waits at most this long for the listing before the first render, in milliseconds, to avoid rendering twice. */
const maxWaitMs = 400

async function start(): Promise<void> {
  setMessageLoader(loadAllMessages)
  readPage()
  watchNavigation()
  watchKeyboard()
  watchFocus()
  refreshWhenOnline()
  forgetFilesOfOthers()
  registerActions(...allActions)
  // If sign-in happens without a form and the server refuses it, the sign-in page shows the refusal.
  await restoreSession().catch(() => undefined)
  const language = activateLanguage(session.user?.locale ?? '')
  const isSignIn = !isVisit() && (!session.user || session.user.mustChangePassword)
  if (!isSignIn) fetchLaterStyles()
  await Promise.all([language, ...(isSignIn ? [LoginPage.preload()] : firstListing(session.user))])
  // Without a listing, nothing has used it.
  cancelEarlyRequest()
  render(document.getElementById('app') as HTMLElement)
  if (!isSignIn) requestIdle(preloadLater)
  // The sign-in page loads nothing more until the user types.
  else for (const type of ['input', 'keydown', 'submit']) addEventListener(type, preloadLater, { once: true })
}

/** Whether the address is that of a shared link, which needs no sign-in. */
function isVisit(): boolean {
  return withoutBase(location.pathname).startsWith('/share/')
}

/** Loads the code that the next click may need. */
function preloadLater(): void {
  void applyLaterStyles().catch(() => undefined)
  void loadAllMessages().catch(() => undefined)
  void loadActions().catch(() => undefined)
  // Visitors of a share create nothing.
  const views = isVisit() ? [FileFrame] : [DropZone, FileFrame, NewItemDialog]
  for (const view of views) void view.preload().catch(() => undefined)
}

function firstListing(user: TokenUser | undefined): Promise<void>[] {
  const path = resourceIn(location.pathname)
  return path === undefined || !user
    ? []
    : [
        soon(Promise.race([showPath(path), untilFirstItems()])),
        ...(isMosaic(user) ? [FileMosaic.preload().catch(() => undefined)] : []),
      ]
}

function untilFirstItems(): Promise<void> {
  return new Promise((resolve) => {
    const stop = subscribe(
      files,
      () => {
        if (!files.folder) return
        stop()
        resolve()
      },
      true,
    )
  })
}

function soon(task: Promise<void>): Promise<void> {
  return Promise.race([task, new Promise<void>((resolve) => setTimeout(resolve, maxWaitMs))])
}

function requestIdle(task: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(task, { timeout: 5000 })
  else setTimeout(task, 2000)
}

void start().then(endSplash, showStartError)
