import { useEffect, useRef } from 'react'
import { ask } from '#web/overlays/ask.ts'
import { guardNavigation } from '#web/shared/navigation-guard.ts'
import { lazy } from '#web/ui/lazy.tsx'

const UnsavedChangesDialog = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).UnsavedChangesDialog,
)

interface Form {
  /** The name of the form's subject, as shown in the question. */
  name: string
  /** The editable data; undefined until it is loaded. */
  draft: unknown
  /** Returns whether it succeeded. */
  save(): Promise<boolean>
}

type Guard = Parameters<typeof guardNavigation>[0]

/** The forms of the page. */
const forms = new Set<Guard>()
let end = () => {}

/** Asks about one form after the other, until the user decides to stay. */
const allForms: Guard = {
  isNeeded: () => [...forms].some((form) => form.isNeeded()),
  async resolveUnsaved() {
    for (const form of forms) if (form.isNeeded() && !(await form.resolveUnsaved())) return false
    return true
  },
}

/** Adds a form to those that are asked about. Returns a function that removes it. */
function guardForm(form: Guard): () => void {
  forms.add(form)
  end = guardNavigation(allForms)
  return () => {
    forms.delete(form)
    if (forms.size === 0) end()
  }
}

/** Asks the user before they leave a form with unsaved changes. Returns a function that marks data as saved. */
export function useUnsavedChanges(form: Form): (saved: unknown) => void {
  const text = form.draft === undefined ? undefined : JSON.stringify(form.draft)
  const saved = useRef<string>(undefined)
  const latest = useRef({ ...form, text })
  useEffect(() => {
    latest.current = { ...form, text }
  })
  useEffect(() => {
    // The first draft after loading is the saved state.
    saved.current = text === undefined ? undefined : (saved.current ?? text)
  }, [text])
  useEffect(
    () =>
      guardForm({
        isNeeded: () => saved.current !== undefined && latest.current.text !== saved.current,
        resolveUnsaved: async () => {
          const answer = await ask(UnsavedChangesDialog, { name: latest.current.name })
          return answer === 'save' ? latest.current.save() : answer === 'discard'
        },
      }),
    [],
  )
  return (draft) => {
    saved.current = JSON.stringify(draft)
  }
}
