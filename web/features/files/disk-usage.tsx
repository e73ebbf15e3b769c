import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { api } from '#web/api/client.ts'
import { onChange } from '#web/shared/changes.ts'
import { page } from '#web/shared/page.ts'
import { formatSize } from '#web/ui/format/format.ts'
import styles from './disk-usage.module.css'
import { files } from './state/files-state.ts'

/** How long changes are gathered before the disk is asked about, in milliseconds: uploads arrive by the hundred. */
const gatherMs = 1000

/** How full the disk is that holds the folder in sight; asked again with every other folder and after every change. */
export function DiskUsage() {
  const { t, i18n } = useLingui()
  const { folder, tasks } = useSnapshot(files)
  const changes = useChanges()
  const asked = useRef(0)
  const told = useRef(0)
  const [room, setRoom] = useState<{ used: number; total: number }>()
  const path = folder?.path
  // biome-ignore lint/correctness/useExhaustiveDependencies: another count asks again.
  useEffect(() => {
    if (!path || tasks > 0 || page.DisableUsedPercentage) return
    asked.current++
    const number = asked.current
    // A slow answer is not given up for the next question, or a busy disk would never tell; only it comes too late.
    api('GET /api/usage/*', { params: { '*': path } })
      .then((now) => {
        if (number < told.current) return
        told.current = number
        setRoom(now)
      })
      // How full the disk is, is a courtesy: without an answer nothing is said.
      .catch(() => undefined)
  }, [path, tasks, changes])
  if (!room || room.total === 0) return null
  const [used, total] = [formatSize(room.used, i18n.locale), formatSize(room.total, i18n.locale)]
  return (
    <div className={styles.usage}>
      <progress value={room.used} max={room.total} aria-label={t`Disk usage`} />
      <p>{t`${used} of ${total} used`}</p>
    </div>
  )
}

/** How often something has changed, as far as it matters for a sum: at most once in a while, and never too few. */
function useChanges(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        setCount((before) => before + 1)
      }, gatherMs)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [])
  return count
}
