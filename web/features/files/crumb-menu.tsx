import { i18n } from '@lingui/core'
import { Folder } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { readResource } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { folderNames } from '#web/shared/names/folder-names.ts'
import { navigateTo, pageOf } from '#web/shared/paths.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'

const Menu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Menu)

/** Maximum number of folders in a menu. */
const maxFolders = 200

interface PlaceInPath {
  name: string
  /** Decoded, with a closing slash. */
  path: string
}

interface CrumbMenuProps {
  label: string
  anchor: RefObject<HTMLElement | null>
  /** The folders, or the path of the folder whose folders are shown. */
  content: readonly PlaceInPath[] | string
  onClose(): void
}

/** A menu of folders, below a button of the breadcrumbs. */
export function CrumbMenu({ label, anchor, content, onClose }: CrumbMenuProps) {
  const folders = useFolders(content, onClose)
  return (
    folders && (
      <Menu
        label={label}
        anchor={anchor}
        placement="bottom start"
        choices={folders.map(({ name, path }) => ({ id: path, label: shownName(name), icon: Folder }))}
        onChoose={(path) => navigateTo(pageOf(path))}
        onClose={onClose}
      />
    )
  )
}

/** The folders of `content`; undefined while they are loaded. */
function useFolders(content: CrumbMenuProps['content'], onClose: () => void) {
  const [loaded, setLoaded] = useState<readonly PlaceInPath[]>()
  const close = useRef(onClose)
  useEffect(() => {
    if (typeof content !== 'string') return
    const controller = new AbortController()
    foldersIn(content, controller.signal).then(setLoaded, (error: unknown) => {
      if (controller.signal.aborted) return
      showToast('error', i18n._(problemText(codeOf(error))))
      close.current()
    })
    return () => controller.abort()
  }, [content])
  return typeof content === 'string' ? loaded : content
}

/** The first folders in the folder `path`, by name. @throws ApiProblem when the folder cannot be read. */
export async function foldersIn(path: string, signal: AbortSignal): Promise<PlaceInPath[]> {
  const answer = await readResource(path, { signal })
  return ('items' in answer ? folderNames(answer, i18n.locale) : [])
    .slice(0, maxFolders)
    .map((name) => ({ name, path: `${path}${name}/` }))
}
