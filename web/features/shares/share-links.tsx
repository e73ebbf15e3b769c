import { useLingui } from '@lingui/react/macro'
import { Lock } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { ShareView } from '#contract/shares.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { formatDate } from '#web/ui/format/format.ts'
import { lineList } from '#web/ui/line-list.tsx'
import { CopyLink } from './copy-link.tsx'
import styles from './share-dialog.module.css'
import { ShareFacts } from './share-facts.tsx'
import { addressOfShare, shareChanges, sharesWith } from './share-state.ts'

interface ShareLinksProps {
  /** Decoded. */
  path: string
}

/** The shares of one file or folder, to open and to copy. */
export function ShareLinks({ path }: ShareLinksProps) {
  const { t, i18n } = useLingui()
  const { count } = useSnapshot(shareChanges)
  const [links, setLinks] = useState<readonly ShareView[]>()
  const [failure, setFailure] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change loads them again.
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    sharesWith(path, signal).then(
      (found) => signal.aborted || setLinks(found),
      (error: unknown) => signal.aborted || setFailure(i18n._(problemText(codeOf(error)))),
    )
    return () => controller.abort()
  }, [path, count])
  const expiry = (seconds: number) => {
    const until = formatDate(seconds * 1000, i18n.locale)
    return t`Expires ${until}`
  }
  if (failure) return <p role="alert">{failure}</p>
  if (!links) return <p role="status">{t`Loading…`}</p>
  if (links.length === 0) return <p className={lineList.detail}>{t`No shared links.`}</p>
  return (
    <ul className={lineList.list}>
      {links.map((link) => (
        <li key={link.hash}>
          {link.hasPassword && <Lock size={16} role="img" aria-label={t`Password-protected`} />}
          <div>
            <a href={addressOfShare(link)} target="_blank" rel="noopener">
              {link.expire === 0 ? t`Permanent link` : expiry(link.expire)}
            </a>
            <p className={`${lineList.detail} ${styles.facts}`}>
              <ShareFacts link={link} isShort />
            </p>
          </div>
          <CopyLink link={link} />
        </li>
      ))}
    </ul>
  )
}
