import { i18n } from '@lingui/core'
import { Trans } from '@lingui/react/macro'
import { Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { nameOf } from '#web/app/paths.ts'
import { tell } from '#web/ui/toasts.ts'
import styles from './drop-zone.module.css'
import { takeDrop } from './gather.ts'
import { enqueue } from './uploads-queue.ts'

interface DropZoneProps {
  /** The decoded path of the folder that takes what is dropped; undefined: nothing may be dropped. */
  folder: string | undefined
}

/** The whole window takes files; a folder under the pointer takes them itself. Says where they will go. */
export function DropZone({ folder }: DropZoneProps) {
  const [target, setTarget] = useState<string>()
  useEffect(() => {
    if (folder === undefined) return
    return listen(folder, setTarget)
  }, [folder])
  if (target === undefined) return null
  return (
    <div className={styles.zone} data-part="drop">
      <p>
        <Upload size={20} aria-hidden />
        {nameOf(target) ? (
          <span>
            <Trans>
              Upload to “<bdi>{nameOf(target)}</bdi>”
            </Trans>
          </span>
        ) : (
          <Trans>Upload to my files</Trans>
        )}
      </p>
    </div>
  )
}

function listen(folder: string, setTarget: (target: string | undefined) => void): () => void {
  let row: Element | null = null
  const mark = (next: Element | null) => {
    if (row === next) return
    row?.removeAttribute('data-drop-here')
    next?.setAttribute('data-drop-here', '')
    row = next
  }
  const over = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    mark(rowUnder(event))
    setTarget(targetOf(row, folder))
  }
  const end = () => {
    mark(null)
    setTarget(undefined)
  }
  const leave = (event: DragEvent) => {
    if (!event.relatedTarget) end()
  }
  const drop = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    const target = targetOf(rowUnder(event), folder)
    end()
    takeDrop(event.dataTransfer)
      .then((wishes) => enqueue(target, wishes))
      .catch((error: unknown) => tell('error', i18n._(problemText(codeOf(error)))))
  }
  const handlers = { dragover: over, dragleave: leave, drop } as const
  for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler as EventListener)
  return () => {
    end()
    for (const [name, handler] of Object.entries(handlers))
      removeEventListener(name, handler as EventListener)
  }
}

function rowUnder({ target }: DragEvent): Element | null {
  return target instanceof Element ? target.closest('[data-folder]') : null
}

function targetOf(row: Element | null, folder: string): string {
  const path = row?.getAttribute('data-folder') ?? folder
  return path.endsWith('/') ? path : `${path}/`
}
