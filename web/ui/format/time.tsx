import { i18n } from '@lingui/core'
import { useSyncExternalStore } from 'react'
import { formatDate, formatRelative } from './format.ts'

let now = Date.now()
const readers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(reader: () => void): () => void {
  readers.add(reader)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const one of readers) one()
  }, 30_000)
  return () => {
    readers.delete(reader)
    if (readers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

interface TimeProps {
  /** RFC 3339. */
  value: string
  /** Shows the date instead of the relative time. */
  absolute: boolean
}

/** A time. A relative one is updated while it is shown, and its tooltip has the date. */
export function Time({ value, absolute }: TimeProps) {
  const clock = useSyncExternalStore(subscribe, () => now)
  const time = Date.parse(value)
  if (Number.isNaN(time)) return null
  const date = formatDate(time, i18n.locale)
  return (
    <time dateTime={value} data-tip={absolute ? undefined : date}>
      {absolute ? date : formatRelative(time, Math.max(clock, time < Date.now() ? time : 0), i18n.locale)}
    </time>
  )
}
