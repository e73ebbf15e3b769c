import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { api } from '#web/api/client.ts'
import { onChange } from '#web/shared/changes.ts'
import { page } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'
import { formatSize } from '#web/ui/format/format.ts'
import styles from './disk-usage.module.css'
import { files } from './state/files-state.ts'

/** Delay that groups changes into one request, in milliseconds. Uploads finish by the hundred. */
const groupMs = 1000

/** The usage of the disk of the shown folder. Reloads when another folder opens and after every change. */
export function DiskUsage() {
  const { t, i18n } = useLingui()
  const { folder, tasks } = useSnapshot(files)
  // The unit of sizes is a preference of the user.
  useSnapshot(session)
  const changes = useChanges()
  const lastRequest = useRef(0)
  const lastShown = useRef(0)
  const [room, setRoom] = useState<{ used: number; total: number }>()
  const path = folder?.path
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the count reloads it.
  useEffect(() => {
    if (!path || tasks > 0 || page.DisableUsedPercentage) return
    lastRequest.current++
    const number = lastRequest.current
    // A new request does not abort an older one, or a busy disk would never show a result. Outdated responses are
    // ignored.
    api('GET /api/usage/*', { params: { '*': path } })
      .then((now) => {
        if (number < lastShown.current) return
        lastShown.current = number
        setRoom(now)
      })
      // The disk usage is optional: errors are ignored.
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

/** Counts changes, at most one per second. The last change is always counted. */
function useChanges(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        setCount((before) => before + 1)
      }, groupMs)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [])
  return count
}
