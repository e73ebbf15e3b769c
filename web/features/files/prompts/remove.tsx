import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import styles from './prompts.module.css'

interface Question {
  names: readonly string[]
  hasFolders: boolean
}

/** Maximum number of listed names. The rest is shown as a number. */
const maxNames = 5

/** Asks before items are deleted, because deletion cannot be undone. */
export function DeleteDialog({ question: { names, hasFolders }, close }: AskProps<Question, true>) {
  const { t } = useLingui()
  const listed = names.slice(0, names.length === maxNames + 1 ? maxNames + 1 : maxNames)
  const rest = names.length - listed.length
  return (
    <Dialog title={t`Delete?`} onClose={close}>
      <div className={styles.text}>
        <p>
          {names.length === 1 ? (
            <Trans>
              “<bdi>{names[0]}</bdi>” will be deleted.
            </Trans>
          ) : (
            <Plural value={names.length} one="# item will be deleted." other="# items will be deleted." />
          )}
        </p>
        {names.length > 1 && (
          <ul className={styles.names}>
            {listed.map((name) => (
              <li key={name}>
                <bdi>{name}</bdi>
              </li>
            ))}
            {rest > 0 && (
              <li>
                <Plural value={rest} one="and # more" other="and # more" />
              </li>
            )}
          </ul>
        )}
        <p>
          {hasFolders
            ? t`Folders are deleted with everything in them. This can't be undone.`
            : t`This can't be undone.`}
        </p>
      </div>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Delete`} onClick={() => close(true)} />
      </DialogButtons>
    </Dialog>
  )
}
