import { i18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { File, FolderOpen, Upload } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { readDrop, type UploadRequest, uploadRequestsOf } from '#web/api/uploads/gather.ts'
import { Button } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './send.module.css'

interface SendZoneProps {
  isCompact: boolean | undefined
  /** The accepted types; undefined: all. */
  types: readonly string[] | undefined
  /** Whether files can be taken now. Otherwise it says what is missing. */
  isReady(): boolean
  onFiles(requests: readonly UploadRequest[]): void
  /** The limits. */
  children: ReactNode
}

/** Accepts files and folders: dropped anywhere on the page, or chosen with the buttons. */
export function SendZone({ isCompact, types, isReady, onFiles, children }: SendZoneProps) {
  const { t } = useLingui()
  const isOver = useDrops((data) => {
    if (!isReady()) return
    readDrop(data)
      .then(onFiles)
      .catch((error: unknown) => showToast('error', i18n._(problemText(codeOf(error)))))
  })
  const choose = (isFolder: boolean) => {
    if (!isReady()) return
    const input = document.createElement('input')
    Object.assign(input, { type: 'file', multiple: true, webkitdirectory: isFolder })
    if (types && !isFolder) input.accept = types.join(',')
    input.onchange = () => onFiles(uploadRequestsOf(input.files ?? []))
    input.click()
  }
  return (
    <div className={styles.zone} data-part="drop" data-over={isOver || undefined}>
      {!isCompact && <Upload size={32} strokeWidth={1.5} aria-hidden />}
      <p>{t`Drop files here, or choose them.`}</p>
      <div className={styles.buttons}>
        <Button variant="main" icon={File} label={t`Choose files`} onClick={() => choose(false)} />
        {'webkitdirectory' in HTMLInputElement.prototype && (
          <Button icon={FolderOpen} label={t`Choose a folder`} onClick={() => choose(true)} />
        )}
      </div>
      {children}
    </div>
  )
}

/** Calls `onDrop` with what is dropped anywhere on the page. Returns whether files are over it. */
function useDrops(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(false)
      latest.current(event.dataTransfer)
    }
    const handlers = { dragover: over, dragleave: leave, drop } as const
    for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler as EventListener)
    return () => {
      for (const [name, handler] of Object.entries(handlers))
        removeEventListener(name, handler as EventListener)
    }
  }, [])
  return isOver
}
