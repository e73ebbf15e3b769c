import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import type { FailureCode } from '#web/api/client.ts'
import { openShare } from '#web/api/link-address.ts'
import { origin, type Share } from '#web/api/origin.ts'
import { useFileShortcuts } from '#web/app/frame/files-keys.ts'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { FileFrame } from '#web/app/frame/shell.tsx'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import { FilesPage } from '#web/features/files/files-page.tsx'
import { loadActions } from '#web/features/files/menus/load-actions.ts'
import {
  files,
  type OpenFile,
  refreshFolder,
  resetFiles,
  showPath,
} from '#web/features/files/state/files-state.ts'
import { PasswordForm } from '#web/features/public/password-form.tsx'
import { PublicFrame } from '#web/features/public/public-frame.tsx'
import { sending } from '#web/features/public/send/visit-state.ts'
import { keepVisit, readVisit } from '#web/features/public/send/visits.ts'
import { SharedFile } from '#web/features/public/shared-file.tsx'
import { SharedFolder } from '#web/features/public/shared-folder.tsx'
import { SignInNeeded } from '#web/features/public/sign-in-needed.tsx'
import { ShareError } from '#web/features/public/unreachable.tsx'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { nameOf, parentOf, paths, shareIn } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { useLook } from './use-look.ts'

const ReceivePage = lazy(async () => (await import('#web/app/chunks/later-receive.ts')).ReceivePage)
const SendPanel = lazy(async () => (await import('#web/app/chunks/later-receive.ts')).SendPanel)
const FileContent = lazy(async () => (await import('#web/app/chunks/later-views.ts')).FileContent)

/** The page of a share, for visitors and users. */
export function LinkPage() {
  const { hash, path } = shareIn(usePathname()) ?? {}
  if (hash !== undefined && path !== undefined) return <OpenLink key={hash} hash={hash} path={path} />
  return (
    <LinkFrame>
      <PageKeys />
      <ShareError code="share.unknown" />
    </LinkFrame>
  )
}

interface OpenLinkProps {
  hash: string
  /** Decoded, relative to the share. */
  path: string
}

/** Sets the share as the origin of files, so that the list and the previews of the user's own files show it. */
function OpenLink({ hash, path }: OpenLinkProps) {
  const link = useLink(hash)
  const { file, failure, folder } = useSnapshot(files)
  useLook(failure ? undefined : link?.offer?.look)
  // Its receipt and the warning before leaving stay, also when the link has ended.
  const hasSent = useHasSent(hash)
  useFileShortcuts()
  useEffect(() => {
    dismissAll()
    if (link && (files.path !== path || (!files.loading && files.failure))) void showPath(path)
  }, [link, path])
  // A share of one file shows it on a page of its own. A file in a shared folder is shown above the folder.
  const isInside = path !== '/'
  const open = failure ? undefined : (files.file as OpenFile | undefined)
  const name = (isInside && nameOf(path)) || open?.name || folder?.name
  return (
    <>
      <LinkFrame title={failure ? undefined : name} isBehind={isInside && open !== undefined}>
        {link && content(link)}
      </LinkFrame>
      {link && isInside && file && open && <FileFrame file={open} />}
    </>
  )

  function content(link: Share): ReactNode {
    if (failure && !(folder && hasSent)) return <Failed code={failure} hash={hash} path={path} />
    if (open && !isInside) {
      return (
        <SharedFile file={open} link={link}>
          <PageKeys />
          <FileContent file={open} onTurn={() => {}} isPart />
        </SharedFile>
      )
    }
    return folder ? <OpenFolder link={link} path={path} /> : <Loading />
  }
}

/** A shared folder, or the place where its visitors send files. */
function OpenFolder({ link, path }: { link: Share; path: string }) {
  const { failure, folder, isLost, loading } = useSnapshot(files)
  const { hold } = useSnapshot(sending)
  if (!folder) return null
  // A refresh also tells how many files may still be sent.
  const onArrived = () => void refreshFolder()
  const { rights = 'download' } = link.offer ?? {}
  const failed = (code: FailureCode | undefined) =>
    code && <Failed code={code} hash={link.hash} path={path} isLine />
  // Each answer brings another offer, also if the folder is the same.
  if (rights === 'upload')
    return (
      <ReceivePage link={link} isLoading={loading} onArrived={onArrived}>
        {/* While files wait for the server, their list says so. */}
        {failed(failure ?? (isLost && hold !== 'offline' ? 'network.lost' : undefined))}
      </ReceivePage>
    )
  return (
    <SharedFolder folder={folder as NonNullable<typeof files.folder>} link={link}>
      {failed(failure)}
      {['upload-view', 'edit'].includes(rights) && (
        <SendPanel link={link} folder={folder.path} isCompact onArrived={onArrived} />
      )}
      {(!failure || folder.path === files.path) && <FilesPage />}
    </SharedFolder>
  )
}

/** Whether files are being sent, or were sent, with the share `hash`. */
function useHasSent(hash: string): boolean {
  const sent = useSnapshot(sending)
  return sent.hash === hash && sent.files.length > 0
}

/** The shortcuts of a page that shows neither a list nor an open file. */
function PageKeys() {
  usePageShortcuts()
  return null
}

function Loading() {
  const { t } = useLingui()
  return (
    <>
      <h1 className="visually-hidden">{page.Name}</h1>
      <p role="status" className={shell.loading}>
        {t`Loading…`}
      </p>
    </>
  )
}

interface FailedProps extends OpenLinkProps {
  code: FailureCode
  /** It is above a page that stays. */
  isLine?: boolean
}

/** Asks for the password of a share or for a sign-in, or shows why it cannot be shown. */
function Failed({ code, hash, path, isLine }: FailedProps) {
  if (code === 'share.password' || code === 'auth.limited') {
    return <PasswordForm isLimited={code === 'auth.limited'} onPassword={(text) => showPath(path, text)} />
  }
  if (code === 'share.people') return <SignInNeeded />
  const above = path === '/' ? undefined : paths.share(hash, parentOf(path))
  return <ShareError code={code} folder={above} onRetry={() => void showPath(path)} isLine={isLine} />
}

/** Opens the share before the first paint, and closes it when another page is shown. Undefined until it is open. */
function useLink(hash: string): Share | undefined {
  const [link, setLink] = useState<Share>()
  useLayoutEffect(() => {
    resetFiles()
    const opened = openShare(hash, readVisit(hash).ticket)
    origin.onVisit = keepVisit
    setLink(opened)
    origin.onLocked = () => {
      // Without the token, the server asks for the password again, whatever its clock says.
      opened.token = ''
      void showPath(files.path)
    }
    // Preloads the actions for the selection, such as downloads.
    void loadActions().catch(() => undefined)
    return () => {
      origin.link = undefined
      origin.onLocked = () => {}
      resetFiles()
    }
  }, [hash])
  return link
}

interface LinkFrameProps {
  /** Undefined: the title of the instance. */
  title?: string | undefined
  /** An open file covers the page. */
  isBehind?: boolean
  children?: ReactNode
}

/** Signed-in users keep the common layout. Visitors get a plain one. */
function LinkFrame({ title, isBehind = false, children }: LinkFrameProps) {
  const { user } = useSnapshot(session)
  const { loading } = useSnapshot(files)
  if (!user) {
    return (
      <PublicFrame title={title} isBehind={isBehind}>
        {children}
      </PublicFrame>
    )
  }
  return (
    <div className={shell.shell}>
      <PageTitle title={title ? `${title} – ${page.Name}` : page.Name} />
      <div className={shell.load} data-on={loading || undefined} />
      <Sidebar context={contextWithoutFiles()} username={user.username} isBehind={isBehind} />
      <main className={shell.main} inert={isBehind} aria-busy={loading}>
        {children}
      </main>
    </div>
  )
}
