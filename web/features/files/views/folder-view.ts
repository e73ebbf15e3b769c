import type { FolderView } from '#contract/users.ts'
import { api } from '#web/api/client.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { savePreferences } from '#web/shared/save-preferences.ts'
import { createSemaphore } from '#web/shared/semaphore.ts'
import { session } from '#web/shared/session.ts'

// Requests can overtake each other. The last change must be saved last.
const saving = createSemaphore(1)

/**
 * Saves a part of how folders are shown: for the shown folder, or for all folders if the user wants that.
 *
 * @throws ApiProblem when the server rejects it. The change is then undone here, too.
 */
export async function saveView(change: FolderView): Promise<void> {
  const { user } = session
  const { folder } = files
  if (!user || user.rememberViews === false || !folder) return savePreferences(change)
  const { path, view: before } = folder
  const show = (view: FolderView | undefined) => {
    if (files.folder?.path === path) files.folder.view = view
  }
  show({ ...before, ...change })
  const release = await saving.acquire()
  try {
    await api('PUT /api/users/:id', {
      params: { id: user.id },
      body: {
        what: 'user',
        which: ['folderViews'],
        data: { id: user.id, folderViews: { [path]: change } },
      },
    })
    // A listing that was requested before the change may have arrived meanwhile.
    show({ ...files.folder?.view, ...change })
  } catch (error) {
    show(before)
    throw error
  } finally {
    release()
  }
}
