import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ArchiveAlgorithm } from '#contract/resources.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import styles from './prompts.module.css'

interface Question {
  /** The one thing, or the folder of several; empty for the root. */
  name: string
  /** Selected items; 0 is the whole folder. */
  count: number
}

const formats: readonly (readonly [ArchiveAlgorithm, string])[] = [
  ['zip', '.zip'],
  ['tar', '.tar'],
  ['targz', '.tar.gz'],
  ['tarbz2', '.tar.bz2'],
  ['tarxz', '.tar.xz'],
  ['tarlz4', '.tar.lz4'],
  ['tarsz', '.tar.sz'],
  ['tarzst', '.tar.zst'],
  ['tarbr', '.tar.br'],
]

/** Asks in which kind of archive folders and several files shall come. */
export function DownloadFormat({ question: { name, count }, close }: AskProps<Question, ArchiveAlgorithm>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`Download as one file`} onClose={close}>
      <p className={styles.text}>
        {count > 1 ? (
          <Plural
            value={count}
            one="# item in an archive of this kind:"
            other="# items in an archive of this kind:"
          />
        ) : name ? (
          <Trans>
            “<bdi>{name}</bdi>” in an archive of this kind:
          </Trans>
        ) : (
          t`All files in an archive of this kind:`
        )}
      </p>
      <div className={styles.formats}>
        {formats.map(([algorithm, ending]) => (
          <Button
            key={algorithm}
            look={algorithm === 'zip' ? 'main' : 'plain'}
            label={ending}
            autoFocus={algorithm === 'zip'}
            onClick={() => close(algorithm)}
          />
        ))}
      </div>
    </Dialog>
  )
}
