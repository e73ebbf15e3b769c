import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons } from '#web/overlays/later-dialog.tsx'
import { onContent, onText } from '#web/shared/changes.ts'
import { useRested } from '#web/shared/lists/use-rested.ts'
import { mayConcern, onLiveChange } from '#web/shared/live/live-changes.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { ItemDetails } from './item-details.tsx'

interface Question {
  file: Item
}

/** The properties of an open file, where no list is shown beside which a panel could be. */
export function InfoDialog({ question, close }: AskProps<Question, never>) {
  const { t } = useLingui()
  const file = useCurrent(question.file)
  return (
    <LaterDialog title={t`Info`} isWide onClose={close}>
      <ItemDetails name={file.name} path={file.path} item={file} folder={undefined} onLeave={() => close()} />
      <LaterDialogButtons>
        <Button variant="main" label={t`Close`} onClick={() => close()} autoFocus />
      </LaterDialogButtons>
    </LaterDialog>
  )
}

/**
 * The file as the server has it. The page read `first` when it opened the file, which may have been saved since. Reads it
 * again when it changes.
 */
function useCurrent(first: Item): Item {
  const { path } = first
  const [file, setFile] = useState(first)
  const [changes, setChanges] = useState(0)
  // A file that changes all the time is read when it rests.
  const rested = useRested(changes)
  useEffect(() => {
    const count = () => setChanges((before) => before + 1)
    const stops = [
      onLiveChange((change) => mayConcern(change, parentOf(path), nameOf(path)) && count()),
      onText((text) => text.path === path && count()),
      onContent((changed) => changed === path && count()),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [path])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change reads again.
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    api('GET /api/resources/*', { params: { '*': path }, query: {} }, { signal }).then(
      (found) => signal.aborted || 'items' in found || setFile({ ...found, index: first.index }),
      // The last known properties stay.
      () => undefined,
    )
    return () => controller.abort()
  }, [path, rested])
  return file
}
