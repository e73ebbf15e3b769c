import { useEffect, useRef } from 'react'
import { ask } from '#web/overlays/ask.ts'
import { guardNavigation } from '#web/shared/navigation-guard.ts'
import { lazy } from '#web/ui/lazy.tsx'

const Unsaved = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Unsaved)

interface Form {
  /** What is edited, in words. */
  name: string
  /** All that can be edited; undefined until it is loaded. */
  draft: unknown
  /** Answers whether it was done. */
  save(): Promise<boolean>
}

/** Has a person asked before they leave a form that they have changed. Answers how to say what was saved. */
export function useUnsaved(form: Form): (saved: unknown) => void {
  const text = form.draft === undefined ? undefined : JSON.stringify(form.draft)
  const saved = useRef<string>(undefined)
  const now = useRef({ ...form, text })
  useEffect(() => {
    now.current = { ...form, text }
  })
  useEffect(() => {
    // What comes first after nothing is how it was.
    saved.current = text === undefined ? undefined : (saved.current ?? text)
  }, [text])
  useEffect(
    () =>
      guardNavigation({
        isNeeded: () => saved.current !== undefined && now.current.text !== saved.current,
        settle: async () => {
          const answer = await ask(Unsaved, { name: now.current.name })
          return answer === 'save' ? now.current.save() : answer === 'discard'
        },
      }),
    [],
  )
  return (draft) => {
    saved.current = JSON.stringify(draft)
  }
}
