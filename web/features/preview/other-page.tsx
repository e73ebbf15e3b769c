import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { FileView } from '#contract/resources.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon, kindOf } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format/format.ts'
import styles from './other-page.module.css'

interface OtherPageProps {
  file: FileView
  /** Absent: the person may not. */
  onDownload: (() => void) | undefined
}

/** The server hands out texts up to this size, in bytes. */
const mostText = 10 * 1024 * 1024

/** Its name promises a text, and the server found none that could be edited. */
function isNamedText({ name, type }: FileView): boolean {
  const isText = /\.(txt|text|log|md|csv|tsv|ini|cfg|conf|srt|vtt|tex)$/i.test(name)
  return type === 'blob' && (isText || kindOf(name, false, type) === 'code')
}

/** A file that cannot be shown here: what it is, and a way to have it, or that the right to download is missing. */
export function OtherPage({ file, onDownload }: OtherPageProps) {
  const { t, i18n } = useLingui()
  return (
    <div className={styles.page}>
      <FileIcon name={file.name} isDir={false} type={file.type} size={72} />
      <h2>
        <bdi>{file.name}</bdi>
      </h2>
      <p>{formatSize(file.size, i18n.locale)}</p>
      {isNamedText(file) && (
        <p>
          {file.size > mostText
            ? t`This text is too large to open here.`
            : t`This file is not UTF-8 text. It isn't opened here because saving could damage it.`}
        </p>
      )}
      {onDownload ? (
        <Button look="main" icon={Download} label={t`Download`} onClick={onDownload} />
      ) : (
        <p role="alert">{t`You don't have permission to download this file.`}</p>
      )}
    </div>
  )
}
