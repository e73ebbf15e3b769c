import { useEffect, useState } from 'react'
import { blobAt } from '#web/api/raw.ts'
import styles from './public-page.module.css'

interface SharedPdfProps {
  name: string
  /** Where its bytes are. */
  address: string
}

/** What is larger is for a program of its own: it is read into the browser whole. In bytes. */
const most = 64 * 1024 * 1024

/** Whether this browser shows such a file in a page; telephones mostly do not. */
export function canShowPdf({ type, size }: { type: string; size: number }): boolean {
  return type === 'pdf' && size <= most && navigator.pdfViewerEnabled
}

/**
 * A shared PDF in the browser's own viewer, as a blob that can be nothing else: no address of the server may be framed.
 * Where it cannot be had, the way to save it stands above and says why.
 */
export function SharedPdf({ name, address }: SharedPdfProps) {
  const [blob, setBlob] = useState<string>()
  useEffect(() => {
    const controller = new AbortController()
    let made = ''
    blobAt(address, 'application/pdf', controller.signal).then(
      (bytes) => {
        made = URL.createObjectURL(bytes)
        setBlob(made)
      },
      () => undefined,
    )
    return () => {
      controller.abort()
      URL.revokeObjectURL(made)
    }
  }, [address])
  return blob ? <iframe className={styles.pdf} src={blob} title={name} data-part="pdf" /> : null
}
