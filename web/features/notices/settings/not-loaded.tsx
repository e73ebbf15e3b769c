import { useLingui } from '@lingui/react/macro'
import { Button } from '#web/ui/button.tsx'
import { Buttons } from '#web/ui/form.tsx'

interface NotLoadedProps {
  /** The sentence of the error; empty: the answer is still awaited. */
  failure: string
  onRetry(): Promise<void>
}

/** Stands in a card until its settings are there. */
export function NotLoaded({ failure, onRetry }: NotLoadedProps) {
  const { t } = useLingui()
  if (!failure) return <p role="status">{t`Loading…`}</p>
  return (
    <>
      <p role="alert">{failure}</p>
      <Buttons>
        <Button label={t`Try again`} onClick={onRetry} />
      </Buttons>
    </>
  )
}
