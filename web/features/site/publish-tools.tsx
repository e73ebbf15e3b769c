import { useLingui } from '@lingui/react/macro'
import { CalendarClock, MonitorPlay, Send } from 'lucide-react'
import { useState } from 'react'
import { ask } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import { openPreview, publish } from './publish.ts'
import styles from './site.module.css'
import { isContentFile, useSite } from './site-state.ts'

const ScheduleDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ScheduleDialog)

interface PublishToolsProps {
  /** Decoded. */
  path: string
  /** Saves the open text. Returns false when that failed. */
  save(): Promise<boolean>
  /** Called after publishing, also after a failure, with the path of the file, which the generator's rules may have changed. */
  onPublished(path: string): void
}

/**
 * The buttons Preview, Publish and Schedule of an open post or page; one menu on narrow screens. Nothing for other files.
 */
export function PublishTools({ path, save, onPublished }: PublishToolsProps) {
  const { t } = useLingui()
  const site = useSite()
  const [task, setTask] = useState<Promise<boolean>>()
  if (!site || !isContentFile(site, path)) return null
  const publishNow = async () => {
    if (!(await save())) return false
    const done = await publish(path)
    // If the build fails, the server has changed the file and put it back.
    onPublished(done?.path ?? path)
    return done !== undefined
  }
  const schedule = async () => {
    if (await save()) await ask(ScheduleDialog, { path })
  }
  const preview = () => openPreview(save)
  const choices = [
    { id: 'preview', icon: MonitorPlay, label: t`Preview` },
    { id: 'publish', icon: Send, label: t`Publish` },
    { id: 'schedule', icon: CalendarClock, label: t`Schedule` },
  ]
  return (
    <>
      <span className={styles.wide}>
        <Button icon={MonitorPlay} label={t`Preview`} onClick={preview} />
        <Button icon={Send} label={t`Publish`} onClick={publishNow} />
        <Button icon={CalendarClock} label={t`Schedule`} onClick={() => void schedule()} />
      </span>
      <span className={styles.narrow}>
        <MenuButton
          variant="quiet"
          icon={Send}
          iconOnly
          label={t`Publish or schedule`}
          task={task}
          choices={choices}
          onChoose={(id) => {
            if (id === 'publish') setTask(publishNow())
            else void (id === 'preview' ? preview() : schedule())
          }}
        />
      </span>
    </>
  )
}
