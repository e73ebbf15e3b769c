import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { rawAddress } from '#web/api/raw.ts'
import styles from './picture-page.module.css'

interface PicturePageProps {
  file: FileView
}

/** A picture, as large as the window allows but never larger than it is. */
export function PicturePage({ file }: PicturePageProps) {
  const { i18n } = useLingui()
  const [address, setAddress] = useState<string>()
  const [failure, setFailure] = useState<FailureCode>()
  useEffect(() => {
    let isGone = false
    setAddress(undefined)
    setFailure(undefined)
    rawAddress(file.path, true).then(
      (value) => isGone || setAddress(value),
      (error: unknown) => isGone || setFailure(codeOf(error)),
    )
    return () => {
      isGone = true
    }
  }, [file.path])
  return (
    <div className={styles.stage} data-part="picture">
      {failure && <p role="alert">{i18n._(problemText(failure))}</p>}
      {address && !failure && (
        <img src={address} alt={file.name} draggable={false} onError={() => setFailure('server.failed')} />
      )}
    </div>
  )
}
