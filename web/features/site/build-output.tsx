import { useLingui } from '@lingui/react/macro'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import dialog from './site-dialogs.module.css'

interface Question {
  /** The last lines of the generator. */
  output: string
}

/** Shows why the generator could not build the website. */
export function BuildOutputDialog({ question: { output }, close }: AskProps<Question, never>) {
  const { t } = useLingui()
  return (
    <Dialog title={t`The website couldn't be built`} isWide onClose={close}>
      <p>{t`The published website is unchanged. These are the last lines of the generator:`}</p>
      <Output text={output} />
      <DialogButtons>
        <Button variant="main" label={t`Close`} onClick={() => close()} autoFocus />
      </DialogButtons>
    </Dialog>
  )
}

interface OutputProps {
  text: string
}

/** The output of the generator, in a block that scrolls. */
export function Output({ text }: OutputProps) {
  const { t } = useLingui()
  return (
    <section
      className={dialog.output}
      aria-label={t`Output of the generator`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
      tabIndex={0}
    >
      <pre dir="ltr" lang="en">
        {text.trim()}
      </pre>
    </section>
  )
}
