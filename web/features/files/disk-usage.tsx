import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { api } from '#web/api/client.ts'
import { page } from '#web/app/page.ts'
import { formatSize } from '#web/ui/format.ts'
import styles from './disk-usage.module.css'
import { files } from './files-state.ts'

/** How full the disk is that holds the folder in sight; asked again with every other folder and after every change. */
export function DiskUsage() {
  const { t, i18n } = useLingui()
  const { folder, tasks } = useSnapshot(files)
  const [room, setRoom] = useState<{ used: number; total: number }>()
  const path = folder?.path
  useEffect(() => {
    if (!path || tasks > 0 || page.DisableUsedPercentage) return
    const controller = new AbortController()
    api('GET /api/usage/*', { params: { '*': path } }, { signal: controller.signal })
      // How full the disk is, is a courtesy: without an answer nothing is said.
      .then(setRoom, () => undefined)
    return () => controller.abort()
  }, [path, tasks])
  if (!room || room.total === 0) return null
  const [used, total] = [formatSize(room.used, i18n.locale), formatSize(room.total, i18n.locale)]
  return (
    <div className={styles.usage}>
      <progress value={room.used} max={room.total} aria-label={t`Disk usage`} />
      <p>{t`${used} of ${total} used`}</p>
    </div>
  )
}
