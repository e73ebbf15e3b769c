import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { FileView } from '#contract/resources.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon, fileKindOf } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './other-page.module.css'

interface OtherPageProps {
  file: FileView
  /** Undefined when the user may not download. */
  onDownload: (() => void) | undefined
}

/** The server returns the content of texts up to this size, in bytes. */
const maxTextBytes = 10 * 1024 * 1024

/** Whether the name says text, but the server found no editable text. */
function isNamedText({ name, type }: FileView): boolean {
  const isText = /\.(txt|text|log|md|csv|tsv|ini|cfg|conf|srt|vtt|tex)$/i.test(name)
  return type === 'blob' && (isText || fileKindOf(name, false, type) === 'code')
}

/** The page of a file without a preview: its name, its size, and a download button or the missing permission. */
export function OtherPage({ file, onDownload }: OtherPageProps) {
  const { t, i18n } = useLingui()
  return (
    <div className={styles.page}>
      <FileIcon name={file.name} isDir={false} type={file.type} size={72} />
      <h2>
        <bdi>{shownName(file.name)}</bdi>
      </h2>
      <p>{formatSize(file.size, i18n.locale)}</p>
      {isNamedText(file) && (
        <p>
          {file.size > maxTextBytes
            ? t`This text is too large to open here.`
            : t`This file is not UTF-8 text. It isn't opened here because saving could damage it.`}
        </p>
      )}
      {onDownload ? (
        <Button variant="main" icon={Download} label={t`Download`} onClick={onDownload} />
      ) : (
        <p role="alert">{t`You don't have permission to download this file.`}</p>
      )}
    </div>
  )
}
