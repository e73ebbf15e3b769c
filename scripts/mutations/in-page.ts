import type { Mutation } from './mutation.ts'

/** Faults in the page. */
export const inPage: readonly Mutation[] = [
  {
    file: 'web/ui/progress.ts',
    find: '      if (last.current !== work) return\n',
    replace: '',
    what: 'a button shows the end of work that is not its last',
  },
  {
    file: 'web/api/client.ts',
    find: 'if (isLost && token === connection.token) connection.onSignedOut()',
    replace: 'if (isLost) connection.onSignedOut()',
    what: 'a late refusal of an old session ends the new one',
  },
  {
    file: 'web/shared/undo/history.ts',
    find: '  if (session.user?.id !== owner) return false\n',
    replace: '',
    what: 'the undo of a user who has signed out appears in the history of the next user',
  },
  {
    file: 'web/features/files/live/follow-list.ts',
    find: '  if (isPointerDown()) onPointerRelease(refreshSoon)\n  else if (',
    replace: '  if (',
    what: 'the list changes under a pressed pointer',
  },
  {
    file: 'web/features/uploads/queue/connectivity.ts',
    find: 'job.sent <= before.sent',
    replace: 'job.sent < before.sent',
    what: 'an upload that always breaks off is repeated for ever',
  },
  {
    file: 'web/features/editor/document/saving.ts',
    find: '    if (keepsUnsaved && isDirty(text)) return false\n',
    replace: '',
    what: 'a version of another user replaces text that was typed while it arrived',
  },
  {
    file: 'web/features/preview/video/positions.ts',
    find: 'seconds < length - nearEnd',
    replace: 'seconds < length',
    what: 'a video that was seen to its end continues at its credits',
  },
  {
    file: 'web/features/public/password-form.tsx',
    find: '    await onPassword(password)\n',
    replace: '    void onPassword(password)\n',
    what: 'a password counts as wrong before the server has answered',
  },
  {
    file: 'web/features/shares/share-dialog.tsx',
    find: '    if (number !== requests.current) return\n',
    replace: '',
    what: 'a slow answer hides a link that was just created',
  },
  {
    file: 'web/features/trash/follow-trash.ts',
    find: 'if (isBehind || !isDone) refreshSoon()',
    replace: 'if (!isDone) refreshSoon()',
    what: 'the trash does not show what was deleted while its list was loading',
  },
  {
    file: 'web/features/rename-many/rename-all.ts',
    find: '      await takeBack(step.cycle)\n',
    replace: '',
    what: 'a refused swap of names leaves an item under a temporary name',
  },
  {
    file: 'web/features/palette/recent-folders.ts',
    find: "  if (!session.user) writeStored('recent', undefined)\n",
    replace: '',
    what: 'names of folders stay on the device after the sign-out',
  },
  {
    file: 'web/features/search/search-state.ts',
    find: '    if (!signal.aborted) searchState.failure = codeOf(error)\n',
    replace: '',
    what: 'a search that fails looks like one without results',
  },
  {
    file: 'web/app/pages/viewer/slide-show.ts',
    find: '  useEffect(() => stopSlideShow, [])\n',
    replace: '',
    what: 'a slide show goes on after the viewer was closed',
  },
]
