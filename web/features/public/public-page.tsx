import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import { parentOf, paths } from '#web/app/paths.ts'
import { PasswordForm } from './password-form.tsx'
import { PublicFrame } from './public-frame.tsx'
import { look, shareIn, visit } from './public-state.ts'
import { SharedFile } from './shared-file.tsx'
import { SharedFolder } from './shared-folder.tsx'
import { Unreachable } from './unreachable.tsx'

/** What a link leads to, for anybody who has it; nothing of the product around it but the way in. */
export function PublicPage() {
  const { view, failure } = useSnapshot(visit)
  const { hash, path } = shareIn(usePathname()) ?? {}
  useEffect(() => {
    if (hash !== undefined && path !== undefined) void look(hash, path)
  }, [hash, path])
  return <PublicFrame title={view?.name}>{content()}</PublicFrame>

  function content() {
    if (hash === undefined || path === undefined) return <Unreachable code="share.unknown" />
    if (failure === 'share.password' || failure === 'auth.limited') {
      return (
        <PasswordForm isLimited={failure === 'auth.limited'} onPassword={(text) => look(hash, path, text)} />
      )
    }
    if (failure) {
      return <Unreachable code={failure} folder={above(hash, path)} onRetry={() => void look(hash, path)} />
    }
    const { view } = visit
    if (!view) return null
    if (view.kind === 'listing') return <SharedFolder key={view.path} folder={view} hash={hash} />
    return <SharedFile file={view} hash={hash} isInside={path.length > 1} />
  }
}

/** The address of the shared folder that holds what is at `path`; undefined at the top. */
function above(hash: string, path: string): string | undefined {
  return path.length > 1 ? paths.share(hash, parentOf(path)) : undefined
}
