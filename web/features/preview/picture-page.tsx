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
  const { t, i18n } = useLingui()
  const [address, setAddress] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  const [failure, setFailure] = useState<FailureCode>()
  useEffect(() => {
    let isGone = false
    setAddress(undefined)
    setFailure(undefined)
    setBroken(false)
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
      {isBroken && <p role="alert">{t`This picture cannot be shown.`}</p>}
      {address && !failure && !isBroken && (
        <img src={address} alt={file.name} draggable={false} onError={() => setBroken(true)} />
      )}
    </div>
  )
}
