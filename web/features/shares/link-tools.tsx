import { useLingui } from '@lingui/react/macro'
import { Pause, Pencil, Play, Trash2 } from 'lucide-react'
import type { ShareView } from '#contract/shares.ts'
import { Button } from '#web/ui/button.tsx'

interface LinkToolsProps {
  link: ShareView
  /** The id of the name of the link. */
  about?: string
  onPause(isPaused: boolean): unknown
  onChange(): unknown
  onEnd(): unknown
}

/** The buttons that pause, change and delete a link. */
export function LinkTools({ link, about, onPause, onChange, onEnd }: LinkToolsProps) {
  const { t } = useLingui()
  const common = { variant: 'quiet', iconOnly: true, 'aria-describedby': about } as const
  return (
    <>
      <Button
        {...common}
        icon={link.paused ? Play : Pause}
        label={link.paused ? t`Resume link` : t`Pause link`}
        onClick={() => onPause(!link.paused)}
      />
      <Button {...common} icon={Pencil} label={t`Change link`} onClick={onChange} />
      {/* The last button of a line removes it. */}
      <Button {...common} icon={Trash2} label={t`Delete link`} onClick={onEnd} />
    </>
  )
}
