import { useLingui } from '@lingui/react/macro'
import { CloudOff } from 'lucide-react'
import { problemText } from '#web/api/problems/problem-text.ts'
import { Button } from '#web/ui/button.tsx'
import styles from './lost-line.module.css'
import { files, showPath } from './state/files-state.ts'

/** Loads the folder again. The button goes with the line, and its focus to the list. */
async function tryAgain(): Promise<void> {
  await showPath(files.path)
  if (files.isLost) return
  document
    .querySelector<HTMLElement>('[data-part=files] :is([role=grid], [data-message])')
    ?.focus({ preventScroll: true })
}

/** Says above the list that the server cannot be reached, so that the list may be outdated. */
export function LostLine() {
  const { t, i18n } = useLingui()
  return (
    <div className={styles.line} data-part="lost-line">
      <CloudOff size={18} aria-hidden />
      <p role="status">{i18n._(problemText('network.lost'))}</p>
      <Button variant="quiet" label={t`Try again`} onClick={tryAgain} />
    </div>
  )
}
