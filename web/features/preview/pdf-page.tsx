import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { rawBlob } from '#web/api/raw.ts'
import styles from './pdf-page.module.css'

interface PdfPageProps {
  file: FileView
}

/** A PDF is read into the browser whole: one larger than this is for a program of its own. In bytes. */
const mostPdf = 256 * 1024 * 1024

/** Whether this browser shows this PDF in a page; telephones mostly do not. */
export function canShowPdf({ type, size }: FileView): boolean {
  return type === 'pdf' && size <= mostPdf && navigator.pdfViewerEnabled
}

/**
 * A PDF in the browser's own viewer. The server lets nothing uploaded be framed; what is framed here is a blob of this
 * page that is called a PDF and can be nothing else, under the page's own policy.
 */
export function PdfPage({ file }: PdfPageProps) {
  const { t, i18n } = useLingui()
  const [address, setAddress] = useState<string>()
  const [failure, setFailure] = useState<FailureCode>()
  useEffect(() => {
    const controller = new AbortController()
    let made = ''
    rawBlob(file.path, 'application/pdf', controller.signal).then(
      (blob) => {
        made = URL.createObjectURL(blob)
        setAddress(made)
      },
      (error: unknown) => controller.signal.aborted || setFailure(codeOf(error)),
    )
    return () => {
      controller.abort()
      URL.revokeObjectURL(made)
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
