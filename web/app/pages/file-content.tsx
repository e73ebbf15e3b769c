import { type ReactNode, useMemo } from 'react'
import type { OpenFile } from '#web/features/files/state/files-state.ts'
import { MediaPage } from '#web/features/preview/media-page.tsx'
import { OtherPage } from '#web/features/preview/other-page.tsx'
import { canShowPdf, PdfPage } from '#web/features/preview/pdf-page.tsx'
import { PicturePage } from '#web/features/preview/picture/picture-page.tsx'
import { parentOf } from '#web/shared/paths.ts'
import { lazy } from '#web/ui/lazy.tsx'

const EditorPage = lazy(async () => (await import('#web/app/chunks/later-editor.ts')).EditorPage)
const Markdown = lazy(async () => (await import('#web/app/chunks/later-markdown.ts')).Markdown)

interface FileContentProps {
  file: OpenFile
  /** Goes to the next (1) or the previous (-1) file. */
  onTurn(by: 1 | -1): void
  /** Absent: the person may not, or finds it elsewhere on the page. */
  onDownload?: (() => void) | undefined
  /** Part of a page that already describes the file: shows nothing if the file cannot be displayed, and does not autoplay. */
  isPart?: boolean
}

/** What is in a file, as far as a browser can show it. */
export function FileContent({ file, onTurn, onDownload, isPart = false }: FileContentProps) {
  const { path, kind, type } = file
  // A link to one file reaches no other: relative links of its text lead nowhere.
  const folder = isPart ? undefined : parentOf(path)
  const render = useMemo(() => renderOf(path, folder), [path, folder])
  if (kind === 'editor') return <EditorPage key={path} file={file} etag={file.etag} render={render} />
  // Without the right to download the server sends nothing that could be shown.
  if (!onDownload && !isPart) return <OtherPage file={file} onDownload={undefined} />
  if (type === 'image') return <PicturePage key={path} file={file} onTurn={onTurn} />
  if (type === 'audio' || type === 'video') return <MediaPage key={path} file={file} isQuiet={isPart} />
  if (canShowPdf(file)) return <PdfPage key={path} file={file} />
  return isPart ? null : <OtherPage file={file} onDownload={onDownload} />
}

/** Renders Markdown; undefined for other texts. */
function renderOf(path: string, folder: string | undefined): ((text: string) => ReactNode) | undefined {
  if (!/\.(md|mkd|markdown)$/i.test(path)) return undefined
  return (text) => <Markdown text={text} folder={folder} />
}
