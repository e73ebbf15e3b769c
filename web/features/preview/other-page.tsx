import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { FileView } from '#contract/resources.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatSize } from '#web/ui/format.ts'
import styles from './other-page.module.css'

interface OtherPageProps {
  file: FileView
  /** Absent: the person may not. */
  onDownload: (() => void) | undefined
}

/** A file that cannot be shown here: what it is, and a way to have it. */
export function OtherPage({ file, onDownload }: OtherPageProps) {
  const { t, i18n } = useLingui()
  return (
    <div className={styles.page}>
      <FileIcon name={file.name} isDir={false} type={file.type} size={72} />
      <h2>
        <bdi>{file.name}</bdi>
      </h2>
      <p>{formatSize(file.size, i18n.locale)}</p>
      {onDownload && <Button look="main" icon={Download} label={t`Download`} onClick={onDownload} />}
    </div>
  )
}
