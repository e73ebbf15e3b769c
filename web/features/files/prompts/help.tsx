import { useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import type { AskProps } from '#web/overlays/ask.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { href, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { keyText } from '#web/ui/format/key-text.ts'
import styles from './prompts.module.css'

/** Lists the keyboard shortcuts. */
export function HelpDialog({ close }: AskProps<object, never>) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const [mod, shift] = [keyText('Mod'), keyText('Shift')]
  const keys = [
    ['F1', t`This help`],
    ['Mod+k', t`Find anything`],
    ['Mod+f', t`Search`],
    ['Shift+n', t`New folder`],
    ['Alt+u', t`Upload files`],
    ['F2', t`Rename`],
    ['Delete', t`Delete`],
    ['Enter', t`Open`],
    ['Alt+ArrowUp', t`Go to parent folder`],
    ['Alt+t', t`Trash`],
    ['Alt+v', t`List or tiles`],
    ['Mod+s', t`Download the selection or this folder`],
    ['Mod+a', t`Select all`],
    ['Escape', t`Close or clear selection`],
    ['Shift+F10', t`Selection menu`],
    ['Mod+c', t`Copy`],
    ['Mod+x', t`Cut`],
    ['Mod+v', t`Paste`],
    ['Mod+d', t`Duplicate`],
    ['Mod+i', t`Info`],
    ['Mod+Shift+s', t`Add to starred`],
    ['Mod+z', t`Undo the last change`],
    ['Mod+Shift+z', t`Redo`],
    ['Shift+Delete', t`Delete permanently`],
    ['Space', t`Preview`],
    ['Mod+Space', t`Select or deselect`],
    ['PageDown', t`Next file`],
    ['m', t`Video: sound on or off`],
    ['f', t`Video: full screen`],
    ['>', t`Video: faster`],
    ['<', t`Video: slower`],
  ] as const
  return (
    <Dialog title={t`Keyboard shortcuts`} isWide onClose={close}>
      <dl className={styles.keys}>
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd dir="ltr">{keyText(key)}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p
        className={styles.text}
      >{t`Click to select, ${mod}+click to add, ${shift}+click to select a range, double-click to open.`}</p>
      <DialogButtons>
        {/* This instance serves both pages, so they stay when external links are disabled. */}
        <p className={`${styles.docs} ${styles.first}`}>
          {user && <PageLink to={paths.manual}>{t`Manual`}</PageLink>}
          <a href={href('/api/docs')} target="_blank" rel="noopener">{t`API documentation`}</a>
        </p>
        <Button variant="main" label={t`Close`} onClick={() => close()} autoFocus />
      </DialogButtons>
    </Dialog>
  )
}
