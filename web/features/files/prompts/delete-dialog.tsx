import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { KeepingAnswer } from '#web/features/files/operations/keeping-of.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import type { DeletionKind } from '#web/shared/undo/change-text.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'
import { Check, Warning } from '#web/ui/form.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './prompts.module.css'

interface Question {
  names: readonly string[]
  hasFolders: boolean
  /** What happens to deleted items of their folder. It is known before the dialog opens, so that no word changes in it. */
  keeping: KeepingAnswer
  /** The user has asked for permanent deletion. */
  isPermanent: boolean
}

/** Maximum number of listed names. The rest is shown as a number. */
const maxNames = 5

/**
 * Asks before items are deleted, and says what will happen to them: they go to the trash, or are deleted permanently,
 * because the user wants that or there is no trash.
 */
export function DeleteDialog({ question, close }: AskProps<Question, DeletionKind>) {
  const { t } = useLingui()
  const { names, hasFolders, keeping } = question
  const [isPermanent, setPermanent] = useState(question.isPermanent)
  const kind = kindOf(keeping, isPermanent)
  // Moving to the trash does no harm, so Enter confirms it. A permanent deletion needs a second look: there, Enter cancels.
  const [isHarmless] = useState(kind === 'trash')
  const titles = { trash: t`Move to trash?`, permanent: t`Delete permanently?`, unknown: t`Delete?` }
  const labels = { trash: t`Move to trash`, permanent: t`Delete permanently`, unknown: t`Delete` }
  return (
    <Dialog title={titles[kind]} onClose={close}>
      <DialogText className={styles.text}>
        <Listed names={names} kind={kind} />
        <Consequences kind={kind} hasFolders={hasFolders} days={keeping?.days ?? 0} />
      </DialogText>
      {keeping?.trash && (
        <Check label={t`Delete permanently`} checked={isPermanent} onChange={setPermanent} />
      )}
      {keeping?.trash === false && (
        <Warning>{t`This folder has no trash, so deletion is permanent.`}</Warning>
      )}
      {keeping?.isFull && (
        <Warning>
          {t`The disk is full. Items in the trash still take up space.`}{' '}
          <PageLink to="/trash" className={styles.link} onClick={() => close()}>{t`Open the trash`}</PageLink>
        </Warning>
      )}
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} autoFocus={!isHarmless} />
        <Button
          variant={kind === 'trash' ? 'main' : 'danger'}
          label={labels[kind]}
          onClick={() => close(kind)}
          autoFocus={isHarmless}
        />
      </DialogButtons>
    </Dialog>
  )
}

/** What will happen. */
function kindOf(keeping: KeepingAnswer, isPermanent: boolean): DeletionKind {
  if (isPermanent) return 'permanent'
  if (!keeping) return 'unknown'
  return keeping.trash ? 'trash' : 'permanent'
}

interface ListedProps {
  names: readonly string[]
  kind: DeletionKind
}

/** What will be deleted. */
function Listed({ names, kind }: ListedProps) {
  const listed = names.slice(0, names.length === maxNames + 1 ? maxNames + 1 : maxNames)
  const rest = names.length - listed.length
  return (
    <>
      <p>
        {names.length === 1 ? (
          <One name={names[0] ?? ''} kind={kind} />
        ) : (
          <Many count={names.length} kind={kind} />
        )}
      </p>
      {names.length > 1 && (
        <ul className={styles.names}>
          {listed.map((name) => (
            <li key={name}>
              <bdi>{shownName(name)}</bdi>
            </li>
          ))}
          {rest > 0 && (
            <li>
              <Plural value={rest} one="and # more" other="and # more" />
            </li>
          )}
        </ul>
      )}
    </>
  )
}

function One({ name: written, kind }: { name: string; kind: DeletionKind }) {
  const name = shownName(written)
  if (kind === 'trash')
    return (
      <Trans>
        “<bdi>{name}</bdi>” will be moved to the trash.
      </Trans>
    )
  if (kind === 'permanent')
    return (
      <Trans>
        “<bdi>{name}</bdi>” will be deleted permanently.
      </Trans>
    )
  return (
    <Trans>
      “<bdi>{name}</bdi>” will be deleted.
    </Trans>
  )
}

function Many({ count, kind }: { count: number; kind: DeletionKind }) {
  if (kind === 'trash')
    return (
      <Plural
        value={count}
        one="# item will be moved to the trash."
        other="# items will be moved to the trash."
      />
    )
  if (kind === 'permanent')
    return (
      <Plural
        value={count}
        one="# item will be deleted permanently."
        other="# items will be deleted permanently."
      />
    )
  return <Plural value={count} one="# item will be deleted." other="# items will be deleted." />
}

interface ConsequencesProps {
  kind: DeletionKind
  hasFolders: boolean
  days: number
}

function Consequences({ kind, hasFolders, days }: ConsequencesProps) {
  const { t } = useLingui()
  if (kind === 'trash')
    return (
      <p>
        <Plural
          value={days}
          one="The trash keeps deleted items for # day."
          other="The trash keeps deleted items for # days."
        />
      </p>
    )
  if (kind === 'unknown')
    return (
      <>
        <p>{t`It isn't known whether this folder has a trash. Without one, deletion is permanent.`}</p>
        {hasFolders && <p>{t`Folders are deleted with everything in them.`}</p>}
      </>
    )
  return (
    <p>
      {hasFolders
        ? t`Folders are deleted with everything in them. This can't be undone.`
        : t`This can't be undone.`}
    </p>
  )
}
