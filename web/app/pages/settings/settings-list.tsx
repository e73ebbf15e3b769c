import { useLingui } from '@lingui/react/macro'
import { ChevronRight } from 'lucide-react'
import { PageLink } from '#web/shared/page-link.tsx'
import type { SettingsPage } from '#web/shared/settings/pages.ts'
import styles from './settings-list.module.css'

interface SettingsListProps {
  pages: readonly SettingsPage[]
}

/** The pages of the settings as a list, for phones. */
export function SettingsList({ pages }: SettingsListProps) {
  const { t, i18n } = useLingui()
  return (
    <nav aria-label={t`Settings`}>
      <ul className={styles.list}>
        {pages.map(({ to, label, icon: Icon, help }) => (
          <li key={to}>
            <PageLink to={to} className={styles.page}>
              <Icon size={22} strokeWidth={1.8} aria-hidden />
              <span>
                <span className={styles.label}>{i18n._(label)}</span>
                <span className={styles.help}>{i18n._(help)}</span>
              </span>
              <ChevronRight size={18} className={styles.chevron} aria-hidden />
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
