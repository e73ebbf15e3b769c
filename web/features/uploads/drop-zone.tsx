import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Ban, Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { readDrop } from '#web/api/uploads/gather.ts'
import { hoverFolder, stopHovering } from '#web/shared/lists/hover-open.ts'
import { nameOf } from '#web/shared/paths.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './drop-zone.module.css'
import { enqueue } from './queue/uploads-queue.ts'

interface DropZoneProps {
  /** The decoded path of the shown folder; undefined when the page shows no folder and accepts no files. */
  folder: string | undefined
  mayCreate: boolean
}

/**
 * Accepts files dropped anywhere in the window; a folder under the pointer is the target itself. Shows the target, or
 * why uploads are refused.
 */
export function DropZone({ folder, mayCreate }: DropZoneProps) {
  const { t } = useLingui()
  const [target, setTarget] = useState<string>()
  useEffect(() => {
    if (folder === undefined) return
    return listen(folder, mayCreate, setTarget)
  }, [folder, mayCreate])
  if (target === undefined) return null
  const Sign = mayCreate ? Upload : Ban
  return (
    <div className={styles.zone} data-part="drop" data-barred={!mayCreate || undefined}>
      <p>
        <Sign size={20} aria-hidden />
        {!mayCreate ? (
          refusalText()
        ) : nameOf(target) ? (
          <span>
            <Trans>
              Upload to “<bdi>{shownName(nameOf(target))}</bdi>”
            </Trans>
          </span>
        ) : (
          t`Upload to my files`
        )}
      </p>
    </div>
  )
}

function refusalText(): string {
  return i18n._(msg`You don't have permission for this: ${i18n._(msg`Upload files`)}`)
}

function listen(
  folder: string,
  mayCreate: boolean,
  setTarget: (target: string | undefined) => void,
): () => void {
  let row: Element | null = null
  const highlight = (next: Element | null) => {
    if (row === next) return
    row?.removeAttribute('data-drop-here')
    next?.setAttribute('data-drop-here', '')
    row = next
  }
  const over = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = mayCreate ? 'copy' : 'none'
    const under = mayCreate ? rowUnder(event) : null
    highlight(under)
    hoverFolder(under ? targetOf(under, folder) : undefined, event)
    setTarget(targetOf(under, folder))
  }
  const end = () => {
    highlight(null)
    stopHovering()
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
    if (mayCreate) enqueueDrop(event.dataTransfer, target)
    else showToast('error', refusalText())
  }
  const handlers = { dragover: over, dragleave: leave, drop } as const
  for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler as EventListener)
  return () => {
    highlight(null)
    setTarget(undefined)
    for (const [name, handler] of Object.entries(handlers))
      removeEventListener(name, handler as EventListener)
  }
}

function enqueueDrop(data: DataTransfer, target: string): void {
  readDrop(data)
    .then((wishes) => enqueue(target, wishes))
    .catch((error: unknown) => showToast('error', i18n._(problemText(codeOf(error)))))
}

function rowUnder({ target }: DragEvent): Element | null {
  return target instanceof Element ? target.closest('[data-folder]') : null
}

function targetOf(row: Element | null, folder: string): string {
  const path = row?.getAttribute('data-folder') ?? folder
  return path.endsWith('/') ? path : `${path}/`
}
