import { createRoot } from 'react-dom/client'
import { loadLater } from '#web/ui/loading/load-later.ts'
import { App } from './app.tsx'
import { showStartError } from './splash.ts'

/** Renders the page into `place`. After an uncaught error it shows an error page instead of a blank one. */
export function render(container: HTMLElement): void {
  let hasFailed = false
  const root = createRoot(container, {
    onUncaughtError(error) {
      reportError(error)
      // If the error page fails as well, nothing more is shown.
      if (hasFailed) return
      hasFailed = true
      loadLater(() => import('./chunks/later-views.ts')).then(
        ({ CrashPage }) => root.render(<CrashPage onLeave={showAll} />),
        showStartError,
      )
    },
  })
  const showAll = () => {
    hasFailed = false
    root.render(<App />)
  }
  showAll()
}
