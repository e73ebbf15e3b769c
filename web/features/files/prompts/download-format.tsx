import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ArchiveAlgorithm } from '#contract/resources.ts'
import { archiveFormats } from '#web/api/archive-formats.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons, DialogText } from '#web/ui/dialog.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './prompts.module.css'

interface Question {
  /** The name of the item, or of the folder of several items; empty for the root. */
  name: string
  /** The number of selected items; 0 means the whole folder. */
  count: number
}

/** Asks for the archive format in which folders and several files are downloaded. */
export function DownloadFormatDialog({
  question: { name: written, count },
  close,
}: AskProps<Question, ArchiveAlgorithm>) {
  const { t } = useLingui()
  const name = shownName(written)
  return (
    <Dialog title={t`Download as archive`} onClose={close}>
      <DialogText className={styles.sentence}>
        {count > 1 ? (
          <Plural
            value={count}
            one="Choose an archive format for # item:"
            other="Choose an archive format for # items:"
          />
        ) : name ? (
          <Trans>
            Choose an archive format for “<bdi>{name}</bdi>”:
          </Trans>
        ) : (
          t`Choose an archive format for all files:`
        )}
      </DialogText>
      <div className={styles.formats}>
        {archiveFormats.map(([algorithm, ending]) => (
          <Button
            key={algorithm}
            variant={algorithm === 'zip' ? 'main' : 'plain'}
            dir="ltr"
            label={ending}
            autoFocus={algorithm === 'zip'}
            onClick={() => close(algorithm)}
          />
        ))}
      </div>
      <DialogButtons>
        <Button label={t`Cancel`} onClick={() => close()} />
      </DialogButtons>
    </Dialog>
  )
}
