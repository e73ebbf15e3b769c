import { useLingui } from '@lingui/react/macro'
import { ChevronRight, House } from 'lucide-react'
import { Fragment } from 'react'
import { PageLink } from '#web/shared/page-link.tsx'
import { pageOf } from '#web/shared/paths.ts'
import styles from './breadcrumbs.module.css'

interface Crumb {
  name: string
  /** Decoded, with a closing slash. */
  path: string
}

/** The folders on the path: the last three, and one entry for all before them. */
export function breadcrumbsOf(path: string): Crumb[] {
  const names = path.split('/').filter(Boolean)
  const all = names.map((name, n) => ({ name, path: `/${names.slice(0, n + 1).join('/')}/` }))
  const hidden = all.at(-4)
  return hidden ? [{ name: '…', path: hidden.path }, ...all.slice(-3)] : all
}

interface BreadcrumbsProps {
  /** Decoded. */
  path: string
  /** The name of the top folder; undefined: the user's own folder. */
  top?: string | undefined
}

/** The breadcrumbs: links to the parent folders. */
export function Breadcrumbs({ path, top }: BreadcrumbsProps) {
  const { t } = useLingui()
  const crumbs = breadcrumbsOf(path)
  return (
    <nav aria-label={t`Breadcrumbs`} className={styles.crumbs} data-part="breadcrumbs">
      <ol>
        <li>
          <PageLink
            to={pageOf('/')}
            data-folder="/"
            aria-label={top ?? t`My files`}
            title={top}
            aria-current={crumbs.length === 0 ? 'page' : undefined}
          >
            <House size={18} strokeWidth={1.8} aria-hidden />
          </PageLink>
        </li>
        {crumbs.map(({ name, path }, n) => (
          <Fragment key={path}>
            <li aria-hidden="true" className={styles.sign}>
              <ChevronRight size={16} />
            </li>
            <li className={styles.crumb}>
              <PageLink
                to={pageOf(path)}
                data-folder={path}
                title={name}
                aria-current={n === crumbs.length - 1 ? 'page' : undefined}
                aria-label={name === '…' ? t`Parent folders` : undefined}
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
