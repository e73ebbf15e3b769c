import { useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { Button } from '#web/ui/button.tsx'
import { editor } from './document/editor-state.ts'
import styles from './editor-page.module.css'

/** Says what somebody else has done to the open file. */
export function OutsideNotice() {
  const { t } = useLingui()
  const { outside } = useSnapshot(editor)
  if (!outside) return null
  const text = {
    shown: t`This file has changed on the server. You see its new content.`,
    changed: t`This file has changed on the server. Your unsaved text is kept.`,
    gone: t`This file was deleted or moved on the server. You still see its last content.`,
  }[outside]
  return (
    <div className={styles.kept} data-part="outside">
      <p role="status">{text}</p>
      {outside === 'changed' && (
        <Button label={t`Show the new content`} onClick={() => void editor.open?.reload()} />
      )}
      <Button
        label={t`OK`}
        onClick={() => {
          editor.outside = undefined
        }}
      />
    </div>
  )
}
