import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { rawBlob } from '#web/api/raw.ts'
import styles from './pdf-page.module.css'

interface PdfPageProps {
  file: FileView
}

/** Maximum size of a PDF, in bytes. The browser loads the whole file into memory. */
const maxPdfBytes = 256 * 1024 * 1024

/** Whether this browser can show this PDF inside a page. Most phones cannot. */
export function canShowPdf({ type, size }: FileView): boolean {
  return type === 'pdf' && size <= maxPdfBytes && navigator.pdfViewerEnabled && !isWebKitGtk()
}

/** WebKitGTK says that it has a viewer, but our content security policy keeps its scripts and styles out. */
function isWebKitGtk(): boolean {
  const { userAgent } = navigator
  return /Linux.* AppleWebKit\//.test(userAgent) && !/Chrom|Android/.test(userAgent)
}

/**
 * Shows a PDF in the browser's own viewer. The server forbids frames with uploaded files. This frame shows a blob of
 * the page with the content type PDF, which can be nothing else and falls under the page's own policy.
 */
export function PdfPage({ file }: PdfPageProps) {
  const { t, i18n } = useLingui()
  const [address, setAddress] = useState<string>()
  const [failure, setFailure] = useState<FailureCode>()
  useEffect(() => {
    const controller = new AbortController()
    let blobAddress = ''
    rawBlob(file.path, 'application/pdf', controller.signal).then(
      (blob) => {
        blobAddress = URL.createObjectURL(blob)
        setAddress(blobAddress)
      },
      (error: unknown) => controller.signal.aborted || setFailure(codeOf(error)),
    )
    return () => {
      controller.abort()
      URL.revokeObjectURL(blobAddress)
    }
  }, [file.path])
  if (failure) {
    return (
      <p role="alert" className={styles.message}>
        {i18n._(problemText(failure))}
      </p>
    )
  }
  if (!address) {
    return (
      <p role="status" className={styles.message}>
        {t`Loading…`}
      </p>
    )
  }
  return <iframe className={styles.frame} src={address} title={file.name} data-part="pdf" />
}
