import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { tellLost } from './splash.ts'

/** Shows everything in `place`. A fault of ours leaves no white page: it is told, and the ways on are there. */
export function render(place: HTMLElement): void {
  let isTold = false
  const root = createRoot(place, {
    onUncaughtError(error) {
      reportError(error)
      // What cannot even be told ends here.
      if (isTold) return
      isTold = true
      import('./chunks/later-views.ts').then(
        ({ Failed }) => root.render(<Failed onLeave={showAll} />),
        tellLost,
      )
    },
  })
  const showAll = () => {
    isTold = false
    root.render(<App />)
  }
  showAll()
}
