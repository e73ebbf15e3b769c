import { lazy } from '#web/ui/lazy.tsx'

/**
 * A modal dialog for lazy chunks: `Dialog`, loaded with its library. A chunk that imported `Dialog` itself would get a
 * copy of the library or share it in another file.
 */
export const LaterDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Dialog)

/** The text of a question in a `LaterDialog`. */
export const LaterDialogText = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).DialogText)

/** The row of buttons of a `LaterDialog`. */
export const LaterDialogButtons = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).DialogButtons,
)
