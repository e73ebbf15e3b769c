import { type ReactNode, useEffect } from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { origin } from '#web/api/origin.ts'
import { isPreviewOnly } from '#web/api/preview-only.ts'
import { openItem } from '#web/features/files/menus/files-actions.ts'
import { files, selectedItems } from '#web/features/files/state/files-state.ts'
import { moveCursor, selection, selectOnly } from '#web/features/files/state/selection.ts'
import { MediaPage } from '#web/features/preview/media-page.tsx'
import { canShowPdf, PdfPage } from '#web/features/preview/pdf-page.tsx'
import { PicturePage } from '#web/features/preview/picture/picture-page.tsx'
import { QuickLook } from '#web/features/quick-look/quick-look.tsx'
import { maxTextBytes, TextPreview } from '#web/features/quick-look/text-preview.tsx'
import type { AskProps } from '#web/overlays/ask.ts'
import { parentOf } from '#web/shared/paths.ts'
import { permissions } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'

const Markdown = lazy(async () => (await import('#web/app/chunks/later-markdown.ts')).Markdown)

/** Shows the item at the cursor of the list. */
export function QuickLookFrame({ close }: AskProps<object, never>) {
  const { folder } = useSnapshot(files)
  const { cursor } = useSnapshot(selection)
  const items = (folder?.items ?? []) as readonly Item[]
  const item = items[cursor]
  // The last item may have been deleted elsewhere.
  useEffect(() => {
    if (!item) close()
    else if (selection.names.size === 0) selectOnly(items, selection.cursor)
  }, [item, items, close])
  if (!item) return null
  const row = rowOf(items, item)
  const at = row.findIndex(({ name }) => name === item.name)
  return (
    <QuickLook
      item={item}
      at={at + 1}
      count={row.length}
      renderPreview={(file) =>
        previewOf(
          file,
          (by) => move(items, row[at + by]),
          () => close(),
        )
      }
      onMove={(by) => move(items, row[at + by])}
      onOpen={() => {
        close()
        openItem(item)
      }}
      onClose={() => close()}
    />
  )
}

/** With several selected items, the row consists of them; else of all items. */
function rowOf(items: readonly Item[], item: Item): readonly Item[] {
  const { names } = selection
  return names.size > 1 && names.has(item.name) ? selectedItems() : items
}

/** Moves the cursor of the list. The selection of several items stays. */
function move(items: readonly Item[], next: Item | undefined): void {
  if (!next) return
  const index = items.indexOf(next)
  if (selection.names.size > 1) moveCursor(index)
  else selectOnly(items, index)
}

function previewOf(item: Item, onTurn: (by: 1 | -1) => void, onClose: () => void): ReactNode {
  if (isPreviewOnly() ? item.type !== 'image' : !permissions().download) return undefined
  const file = { ...item, kind: 'preview' as const }
  const key = `${item.path}\n${item.modified}`
  if (item.type === 'image') return <PicturePage key={key} file={file} onTurn={onTurn} onClose={onClose} />
  if (item.type === 'audio' || item.type === 'video') return <MediaPage key={key} file={file} isQuiet />
  if (canShowPdf(file)) return <PdfPage key={key} file={file} />
  const isText = item.type === 'text' || item.type === 'textImmutable'
  if (!isText || (origin.link && item.size > maxTextBytes)) return undefined
  const render = /\.(md|mkd|markdown)$/i.test(item.name)
    ? (text: string) => <Markdown text={text} folder={parentOf(item.path)} />
    : undefined
  return <TextPreview key={key} item={item} render={render} />
}
