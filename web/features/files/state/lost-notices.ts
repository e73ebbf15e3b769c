import { i18n } from '@lingui/core'
import { subscribe } from 'valtio'
import { problemText } from '#web/api/problems/problem-text.ts'
import { dismissText } from '#web/ui/toasts/toasts.ts'
import { files } from './files-state.ts'

/** Removes the notices that the server cannot be reached as soon as it can be. Called once. */
export function followConnection(): void {
  let wasLost = files.isLost
  subscribe(files, () => {
    if (wasLost && !files.isLost) dismissText(i18n._(problemText('network.lost')))
    wasLost = files.isLost
  })
}
