import type { I18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { CircleQuestionMark, Clock, type LucideIcon, Settings, Star, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import type { Item } from '#contract/resources.ts'
import type { ActionContext } from '#web/actions/action.ts'
import { runAction, visibleActions } from '#web/actions/registry.ts'
import type { Hit } from '#web/api/search/search.ts'
import { openItem } from '#web/features/files/menus/files-actions.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { PaletteDialog } from '#web/features/palette/palette-dialog.tsx'
import type { PaletteEntry } from '#web/features/palette/palette-entries.ts'
import { recentFolders } from '#web/features/palette/recent-folders.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { typeByName } from '#web/shared/lists/type-by-name.ts'
import { nameOf, navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { settingsPages } from '#web/shared/settings/pages.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'

interface Question {
  /** In which the actions run. */
  context: ActionContext
}

/** The palette, with all that is possible now. Returns the chosen entry, which runs when the palette is closed. */
export function PaletteFrame({ question: { context }, close }: AskProps<Question, PaletteEntry>) {
  const { t, i18n } = useLingui()
  const groups = useMemo(
    () => [
      { title: t`Recent folders`, entries: recentEntries(context, t`My files`) },
      { title: t`Actions`, entries: actionEntries(context, i18n) },
      { title: t`This folder`, entries: itemEntries(context), isLong: true },
      {
        title: t`Pages`,
        entries: pageEntries(
          [
            [paths.recent, t`Recent`, Clock],
            [paths.starred, t`Starred`, Star],
            [paths.trash, t`Trash`, Trash2, 'Alt+t'],
            [paths.manual, t`Manual`, CircleQuestionMark],
          ],
          i18n,
        ),
      },
    ],
    [context, t, i18n],
  )
  return (
    <PaletteDialog
      groups={groups}
      entryOf={context.isShare ? undefined : hitEntry}
      onChoose={close}
      onClose={() => close()}
    />
  )
}

function actionEntries(context: ActionContext, i18n: I18n): PaletteEntry[] {
  return (
    visibleActions(context)
      // The trash is one of the pages below.
      .filter(({ id }) => id !== 'palette' && id !== 'trash')
      .map((action) => ({
        id: action.id,
        label: i18n._(action.label),
        keys: action.keys?.[0],
        icon: <action.icon size={18} strokeWidth={1.8} aria-hidden />,
        run: () => {
          if (action.visible(context)) void runAction(action, context)
        },
      }))
  )
}

function itemEntries({ folder }: ActionContext): PaletteEntry[] {
  const items = folder === undefined ? [] : ((files.folder?.items ?? []) as readonly Item[])
  return items.map((item) => ({
    id: item.path,
    label: item.name,
    icon: <FileIcon name={item.name} isDir={item.isDir} type={item.type} />,
    run: () => openItem(item),
  }))
}

/** The entry of a file or folder by its path; folders end with a slash. */
function pathEntry(path: string, label = nameOf(path)): PaletteEntry {
  const isDir = path.endsWith('/')
  return {
    id: path.replace(/(?<=.)\/$/, ''),
    label,
    ...(path !== '/' && { place: parentOf(path) }),
    icon: <FileIcon name={label} isDir={isDir} type={isDir ? '' : typeByName(label)} />,
    run: () => navigateTo(paths.files(path)),
  }
}

function hitEntry({ path, dir }: Hit): PaletteEntry {
  return pathEntry(`/${path.replace(/^\//, '')}${dir ? '/' : ''}`)
}

/** Without the folder that is shown already. */
function recentEntries({ folder }: ActionContext, top: string): PaletteEntry[] {
  return recentFolders()
    .filter((path) => path !== folder)
    .map((path) => pathEntry(path, nameOf(path) || top))
}

type PagePlace = [to: string, label: string, icon: LucideIcon, keys?: string]

/** The places in the sidebar, the manual and the pages of the settings. A visitor has none of them. */
function pageEntries(places: readonly PagePlace[], i18n: I18n): PaletteEntry[] {
  const { user } = session
  if (!user) return []
  const entry = ([to, label, Icon, keys]: PagePlace): PaletteEntry => ({
    id: `page ${to}`,
    label,
    keys,
    icon: <Icon size={18} strokeWidth={1.8} aria-hidden />,
    run: () => navigateTo(to),
  })
  return [
    ...places.map(entry),
    ...settingsPages(user.perm).map(({ to, label }) => entry([to, i18n._(label), Settings])),
  ]
}
