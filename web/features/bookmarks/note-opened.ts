import { useEffect } from 'react'
import { api } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'

/** A file that is shown for a shorter time was only passed on the way to another, in milliseconds. */
const shownMs = 1000

/** Notes the open file for the list of recent files. Does nothing for visitors of a share. */
export function useNoteOpened(path: string): void {
  useEffect(() => {
    if (origin.link) return
    const timer = setTimeout(() => {
      // The list is a help only, so an error is not shown.
      api('POST /api/recent/*', { params: { '*': path } }).catch(() => undefined)
    }, shownMs)
    return () => clearTimeout(timer)
  }, [path])
}
