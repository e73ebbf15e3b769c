import { useLingui } from '@lingui/react/macro'
import styles from './skeleton.module.css'

interface SkeletonProps {
  /** What is expected; of a page, nothing is known. */
  shape: 'rows' | 'tiles' | 'page'
}

/** Placeholders of a first list that takes long. The style sheet shows them after 150 ms, so that fast lists do not flicker. */
export function Skeleton({ shape }: SkeletonProps) {
  const { t } = useLingui()
  return (
    <div role="status" className={styles[shape]} data-part="skeleton">
      <span className="visually-hidden">{t`Loading…`}</span>
      {Array.from({ length: 12 }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <i key={n} />
      ))}
    </div>
  )
}
