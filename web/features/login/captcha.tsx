import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { problemText } from '#web/api/problems/problem-text.ts'
import { showCaptcha } from './captcha-state.ts'
import styles from './login-page.module.css'
import { allSentences } from './refusals.ts'

/** The captcha box, drawn by the captcha service. */
export function Captcha() {
  const { i18n } = useLingui()
  const place = useRef<HTMLDivElement>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const fail = () => void allSentences().then(() => setFailed(true))
    return place.current ? showCaptcha(place.current, fail) : undefined
  }, [])
  return (
    <div className={styles.check} data-part="human-check">
      {!hasFailed && <div ref={place} />}
      {hasFailed && <p role="alert">{i18n._(problemText('auth.unchecked'))}</p>}
    </div>
  )
}
