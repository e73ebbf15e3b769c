import { msg } from '@lingui/core/macro'
import { Command } from 'lucide-react'
import { subscribe } from 'valtio'
import type { Action } from '#web/actions/action.ts'
import { origin } from '#web/api/origin.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { followFolders, rememberFolder } from '#web/features/palette/recent-folders.ts'
import { ask } from '#web/overlays/ask.ts'
import { lazy } from '#web/ui/lazy.tsx'

const PaletteFrame = lazy(async () => (await import('#web/app/chunks/later-palette.ts')).PaletteFrame)

/** Finds everything that can be done or opened, by name. */
export const paletteAction: Action = {
  id: 'palette',
  label: msg`Find anything`,
  icon: Command,
  keys: ['Mod+k'],
  visible: () => true,
  run: async (context) => {
    const entry = await ask(PaletteFrame, { context })
    entry?.run()
  },
}

/** Remembers the folders that are opened from now on. Called once. */
export function followRecentFolders(): void {
  const remember = () => {
    if (files.folder && !origin.link) rememberFolder(files.folder.path)
  }
  remember()
  subscribe(files, remember)
  followFolders()
}
