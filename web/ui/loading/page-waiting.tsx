import { useLingui } from '@lingui/react/macro'

interface PageWaitingProps {
  /** What the page will show, if that is known. */
  title?: string | undefined
}

/** A page whose code is still loading, for screen readers: they need a main part and a heading to find it. */
export function PageWaiting({ title }: PageWaitingProps) {
  const { t } = useLingui()
  return (
    <main className="visually-hidden" aria-busy>
      <h1>{title ?? t`Loading…`}</h1>
      {title !== undefined && <p role="status">{t`Loading…`}</p>}
    </main>
  )
}
