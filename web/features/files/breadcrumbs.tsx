import { useLingui } from '@lingui/react/macro'
import { ChevronRight, Ellipsis, House } from 'lucide-react'
import { type ComponentProps, Fragment, useLayoutEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { pathField } from '#web/shared/names/path-field-state.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { pageOf, parentOf } from '#web/shared/paths.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './breadcrumbs.module.css'

const views = () => import('#web/app/chunks/later-views.ts')
const CrumbMenu = lazy(async () => (await views()).CrumbMenu)
const PathField = lazy(async () => (await views()).PathField)

/** Maximum number of folders that are drawn before the width is measured. */
const maxShown = 12

interface Crumb {
  name: string
  /** Decoded, with a closing slash. */
  path: string
}

/** The folders on the path. */
export function breadcrumbsOf(path: string): Crumb[] {
  const names = path.split('/').filter(Boolean)
  return names.map((name, n) => ({ name: shownName(name), path: `/${names.slice(0, n + 1).join('/')}/` }))
}

interface BreadcrumbsProps {
  /** Decoded. */
  path: string
  /** The name of the top folder; undefined: the user's own folder. */
  top?: string | undefined
}

/** The breadcrumbs: links to the parent folders, as many as have room, and menus of the folders beside and between them. */
export function Breadcrumbs({ path, top }: BreadcrumbsProps) {
  const { t } = useLingui()
  const { isOpen } = useSnapshot(pathField)
  const crumbs = breadcrumbsOf(path)
  const [list, hidden] = useFitting(path, crumbs.length, isOpen)
  if (isOpen) return <PathField />
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the shortcut of the action opens the field, too.
    <nav
      aria-label={t`Breadcrumbs`}
      className={styles.crumbs}
      data-part="breadcrumbs"
      onClick={({ target }) => {
        if (target instanceof Element && !target.closest('li')) pathField.isOpen = true
      }}
    >
      <ol ref={list} data-cut={hidden === crumbs.length - 1 || undefined}>
        <li>
          <PageLink
            to={pageOf('/')}
            data-folder="/"
            aria-label={top ?? t`My files`}
            data-tip=""
            aria-current={crumbs.length === 0 ? 'page' : undefined}
          >
            <House size={18} strokeWidth={1.8} aria-hidden />
          </PageLink>
        </li>
        {hidden > 0 && (
          <li>
            <FolderMenu
              label={t`Parent folders`}
              content={crumbs.slice(0, hidden).toReversed()}
              data-folder={crumbs[hidden - 1]?.path}
            >
              <Ellipsis size={18} />
            </FolderMenu>
          </li>
        )}
        {crumbs.slice(hidden).map(({ name, path: to }) => (
          <Fragment key={to}>
            <li className={styles.sign}>
              <FolderMenu label={t`Folders beside ${name}`} content={parentOf(to)}>
                <ChevronRight size={16} />
              </FolderMenu>
            </li>
            <li className={styles.crumb}>
              <PageLink
                to={pageOf(to)}
                data-folder={to}
                data-full={name}
                aria-current={to === crumbs.at(-1)?.path ? 'page' : undefined}
              >
                <bdi>{name}</bdi>
              </PageLink>
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  )
}

/** Hides the first folders until the others have room. Returns how many are hidden. */
function useFitting(path: string, count: number, isOpen: boolean) {
  const list = useRef<HTMLOListElement>(null)
  const least = Math.max(0, count - maxShown)
  const [fit, setFit] = useState({ path, hidden: least })
  const hidden = fit.path === path ? fit.hidden : least
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the size sets `fit` anew.
  useLayoutEffect(() => {
    const box = list.current
    if (box && hidden < count - 1 && box.scrollWidth > box.clientWidth) setFit({ path, hidden: hidden + 1 })
  }, [path, count, hidden, fit, isOpen])
  useLayoutEffect(() => {
    const box = list.current
    if (!box || isOpen) return
    const observer = new ResizeObserver(() => setFit({ path, hidden: least }))
    observer.observe(box)
    return () => observer.disconnect()
  }, [path, least, isOpen])
  return [list, hidden] as const
}

type FolderMenuProps = Omit<ComponentProps<'button'>, 'content'> &
  Pick<ComponentProps<typeof CrumbMenu>, 'label' | 'content'>

/** A button that opens a menu of folders. */
function FolderMenu({ label, content, ...rest }: FolderMenuProps) {
  const anchor = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-label={label}
        data-tip=""
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        {...rest}
      />
      {isOpen && <CrumbMenu label={label} content={content} anchor={anchor} onClose={() => setOpen(false)} />}
    </>
  )
}
