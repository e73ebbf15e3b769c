import { useLingui } from '@lingui/react/macro'
import { Link2, Star } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { shareMarks } from '#web/shared/marks/share-marks.ts'
import { stars } from '#web/shared/marks/stars.ts'
import styles from './name-badge.module.css'

interface BadgeProps {
  text: string
  /** The rest of the text, which narrow screens hide. */
  detail: string
}

/** A short note beside a name. */
export function NameBadge({ text, detail }: BadgeProps) {
  return (
    <span className={styles.badge}>
      {text}
      {detail && <span> {detail}</span>}
    </span>
  )
}

/** A small star beside the name of a starred file or folder. */
export function NameStar({ path }: { path: string }) {
  const { t } = useLingui()
  const { paths } = useSnapshot(stars)
  if (!paths.has(path.replace(/\/$/, ''))) return null
  return <Star size={14} className={styles.star} role="img" aria-label={t`Starred`} aria-hidden={false} />
}

/** A small link beside the name of a file or folder that the user has shared. Its tooltip is the state of the links. */
export function NameShared({ path }: { path: string }) {
  const text = useSnapshot(shareMarks).texts.get(path.replace(/\/$/, ''))
  if (!text) return null
  return (
    <Link2 size={14} className={styles.shared} role="img" aria-label={text} aria-hidden={false} data-tip="" />
  )
}
