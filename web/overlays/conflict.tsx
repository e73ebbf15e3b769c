import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'
import { formatDate, formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import type { AskProps } from './ask.ts'
import styles from './conflict.module.css'
import { isNewer, type Version } from './newer.ts'

/** What to do with an entry whose name is taken. `newer` replaces older files and skips the others. */
export type Choice = 'replace' | 'newer' | 'skip' | 'keep'

interface Question {
  name: string
  /** The folder that has an entry of this name, as it is written for people. It may be another one than the shown one. */
  place: string
  /** The incoming or the existing entry is a folder. */
  isDir?: boolean
  existing?: Version
  incoming?: Version
  /** The number of further conflicts that may follow this one. */
  more: number
  /** Replacing is possible and permitted. */
  mayReplace: boolean
}

interface Answer {
  choice: Choice
  /** Do the same for every further conflict of this upload, copy or move. */
  all: boolean
}

/** Asks what to do with a file whose name is taken. */
export function Conflict({ question, close }: AskProps<Question, Answer>) {
  const { t } = useLingui()
  const [all, setAll] = useState(false)
  const { place, isDir, existing, incoming, more, mayReplace } = question
  const name = shownName(question.name)
  const answer = (choice: Choice) => () => close({ choice, all })
  const asksWhichIsNewer = mayReplace && more > 0 && existing && incoming
  const cancel = <Button label={t`Cancel`} onClick={() => close()} />
  const title = isDir ? t`Replace the folder?` : t`Replace the file?`
  return (
    <Dialog title={mayReplace ? title : t`This name is taken`} onClose={close}>
      <DialogText className={styles.text}>
        <Trans>
          “<bdi>{name}</bdi>” is already in “<bdi>{place}</bdi>”.
        </Trans>
      </DialogText>
      {existing && incoming && <Versions there={existing} coming={incoming} />}
      {more > 0 && (
        <label className={styles.all}>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
          <span>
            {t`Apply to all`}{' '}
            <small>
              <Plural value={more} one="(# more)" other="(# more)" />
            </small>
          </span>
        </label>
      )}
      <DialogButtons isEven>
        <Button label={t`Skip`} onClick={answer('skip')} autoFocus />
        <Button label={t`Keep both`} onClick={answer('keep')} />
        {/* Always there, so that the buttons do not move when the box is ticked. */}
        {asksWhichIsNewer && (
          <Button label={t`Replace older files`} isInactive={!all} onClick={answer('newer')} />
        )}
        {mayReplace && !asksWhichIsNewer && cancel}
        {mayReplace && <Button variant="danger" label={t`Replace`} onClick={answer('replace')} />}
        {/* Alone in the last row. */}
        {(asksWhichIsNewer || !mayReplace) && cancel}
      </DialogButtons>
    </Dialog>
  )
}

/** Shows both files side by side, so that the user can compare them. */
function Versions({ there, coming }: { there: Version; coming: Version }) {
  const { t, i18n } = useLingui()
  const sides = [
    [t`Existing file`, there, isNewer(there, coming)],
    [t({ message: 'New file', context: 'beside an existing file' }), coming, isNewer(coming, there)],
  ] as const
  return (
    <dl className={styles.versions}>
      {sides.map(([label, { size, modified }, isLater]) => (
        <div key={label}>
          <dt>
            {label}
            {isLater && <strong>{t`newer`}</strong>}
          </dt>
          <dd>{formatSize(size, i18n.locale)}</dd>
          <dd>{formatDate(modified, i18n.locale)}</dd>
        </div>
      ))}
    </dl>
  )
}
