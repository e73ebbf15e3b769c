import { type ComponentProps, type ReactNode, useMemo } from 'react'
import { useSnapshot } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { isPreviewOnly } from '#web/api/preview-only.ts'
import { files, type OpenFile } from '#web/features/files/state/files-state.ts'
import { MediaPage } from '#web/features/preview/media-page.tsx'
import { OtherPage } from '#web/features/preview/other-page.tsx'
import { canShowPdf, PdfPage } from '#web/features/preview/pdf-page.tsx'
import { PicturePage } from '#web/features/preview/picture/picture-page.tsx'
import { page } from '#web/shared/page.ts'
import { parentOf } from '#web/shared/paths.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { audioFilesOf } from './audio-files.ts'
import { rotatorFor } from './viewer/save-rotation.ts'

const EditorPage = lazy(async () => (await import('#web/app/chunks/later-editor.ts')).EditorPage)
const FrontMatterForm = lazy(async () => (await import('#web/app/chunks/later-site.ts')).FrontMatterForm)
const MusicPage = lazy(async () => (await import('#web/app/chunks/later-music.ts')).MusicPage)
const Markdown = lazy(async () => (await import('#web/app/chunks/later-markdown.ts')).Markdown)

interface FileContentProps {
  file: OpenFile
  /** Goes to the next (1) or the previous (-1) file. */
  onTurn(by: 1 | -1): void
  /** Returns to the folder. */
  onClose?: () => void
  /** Undefined if the user may not download, or if the page has another download button. */
  onDownload?: (() => void) | undefined
  /** Part of a page that describes the file: renders nothing if the file cannot be shown, and does not autoplay. */
  isPart?: boolean
}

/** The content of a file, if a browser can show it. */
export function FileContent({ file, onTurn, onClose, onDownload, isPart = false }: FileContentProps) {
  const { path, kind, type } = file
  // A share of one file gives access to no other, so relative links in its text are disabled.
  const folder = isPart ? undefined : parentOf(path)
  const render = useMemo(() => renderOf(path, folder), [path, folder])
  const renderForm: ComponentProps<typeof EditorPage>['renderForm'] =
    page.StaticGen && !origin.link ? (tools) => <FrontMatterForm path={path} {...tools} /> : undefined
  if (kind === 'editor')
    return <EditorPage key={path} file={file} etag={file.etag} render={render} renderForm={renderForm} />
  if (!mayShow(file, onDownload !== undefined || isPart)) return <NotShown file={file} isPart={isPart} />
  if (type === 'image')
    return (
      <PicturePage
        key={path}
        file={file}
        onTurn={onTurn}
        onClose={() => onClose?.()}
        onRotate={rotatorFor(file, isPart)}
      />
    )
  if (type === 'audio' || type === 'video') return <Media key={path} file={file} isPart={isPart} />
  if (canShowPdf(file)) return <PdfPage key={path} file={file} />
  return <NotShown file={file} isPart={isPart} onDownload={onDownload} />
}

/** A file that cannot be shown. */
function NotShown({ file, isPart, onDownload }: Pick<FileContentProps, 'file' | 'isPart' | 'onDownload'>) {
  return isPart ? null : <OtherPage file={file} onDownload={onDownload} />
}

/** Whether the page loads something that could be shown. If it shows only smaller versions, these are pictures. */
function mayShow({ type }: Pick<OpenFile, 'type'>, mayDownload: boolean): boolean {
  return isPreviewOnly() ? type === 'image' : mayDownload
}

/** A video, or music, which goes on when the user leaves its page. A file that is shared alone is part of its page. */
function Media({ file, isPart }: { file: OpenFile; isPart: boolean }) {
  if (file.type === 'audio' && !isPart) return <Music file={file} />
  return <MediaPage file={file} isQuiet={isPart} />
}

/** An audio file. After it, the other ones of its folder are played. */
function Music({ file }: Pick<FileContentProps, 'file'>) {
  const { folder } = useSnapshot(files)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tracks are those of the list.
  const tracks = useMemo(() => audioFilesOf(file.path), [file.path, folder?.items])
  return <MusicPage file={file} tracks={tracks} />
}

/** Renders Markdown; undefined for other texts. */
function renderOf(path: string, folder: string | undefined): ((text: string) => ReactNode) | undefined {
  if (!/\.(md|mkd|markdown)$/i.test(path)) return undefined
  return (text) => <Markdown text={text} folder={folder} />
}
