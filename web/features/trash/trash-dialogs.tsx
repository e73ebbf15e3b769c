import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { TrashItem } from '#contract/history/kept.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons, LaterDialogText } from '#web/overlays/later-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './trash.module.css'

interface DeletionQuestion {
  items: readonly TrashItem[]
}

/** Asks before entries of the trash are deleted permanently. */
export function PermanentDeletionDialog({ question: { items }, close }: AskProps<DeletionQuestion, true>) {
  const { t } = useLingui()
  const [only] = items
  return (
    <LaterDialog title={t`Delete permanently?`} onClose={close}>
      <LaterDialogText className={styles.question}>
        <p>
          {only && items.length === 1 ? (
            <Trans>
              “<bdi>{shownName(only.name)}</bdi>” will be deleted permanently.
            </Trans>
          ) : (
            <Plural
              value={items.length}
              one="# item will be deleted permanently."
              other="# items will be deleted permanently."
            />
          )}
        </p>
        <p>{t`This can't be undone.`}</p>
      </LaterDialogText>
      <LaterDialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Delete permanently`} onClick={() => close(true)} />
      </LaterDialogButtons>
    </LaterDialog>
  )
}

interface EmptyQuestion {
  /** Number and bytes of all entries. */
  total: number
  size: number
  /** The list shows only what was searched for. */
  isSearch: boolean
}

/** Asks before the trash is emptied. */
export function EmptyTrashDialog({ question, close }: AskProps<EmptyQuestion, true>) {
  const { t, i18n } = useLingui()
  const { total, isSearch } = question
  const size = formatSize(question.size, i18n.locale)
  return (
    <LaterDialog title={t`Empty the trash?`} onClose={close}>
      <LaterDialogText className={styles.question}>
        <p>
          <Plural
            value={total}
            one={`# item (${size}) will be deleted permanently.`}
            other={`# items (${size}) will be deleted permanently.`}
          />
        </p>
        {isSearch && <p>{t`This includes items that your search doesn't show.`}</p>}
        <p>{t`This can't be undone.`}</p>
      </LaterDialogText>
      <LaterDialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button
          variant="danger"
          label={t`Empty trash`}
          isInactive={total === 0}
          onClick={() => close(true)}
        />
      </LaterDialogButtons>
    </LaterDialog>
  )
}
