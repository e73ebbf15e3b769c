import { useLingui } from '@lingui/react/macro'
import { Check as Tick, UserPlus } from 'lucide-react'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { PageLink } from '#web/shared/page-link.tsx'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'
import styles from './users-page.module.css'
import { loadUsers, usersState } from './users-state.ts'

/** The list of users, each with an edit link. */
export function UsersPage() {
  const { t } = useLingui()
  const { card } = useSettingTexts()
  const { list } = useSnapshot(usersState)
  useEffect(() => void loadUsers(), [])
  if (!list) return null
  return (
    <Card {...card('users.list')}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t`Username`}</th>
            <th scope="col">{t`Admin`}</th>
            <th scope="col">{t`Home folder`}</th>
            <th scope="col">
              <span className="visually-hidden">{t`Edit`}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ id, username, perm, scope }) => (
            <tr key={id}>
              <th scope="row">
                <bdi>{username}</bdi>
              </th>
              <td>
                {perm.admin && <Tick size={18} role="img" aria-label={t`Yes`} />}
                {!perm.admin && <span className="visually-hidden">{t`No`}</span>}
              </td>
              <td>
                <bdi>{scope}</bdi>
              </td>
              <td>
                <PageLink to={paths.user(id)} className={styles.edit} aria-label={t`Edit ${username}`}>
                  {t`Edit`}
                </PageLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Buttons>
        <Button variant="main" icon={UserPlus} label={t`New`} onClick={() => navigateTo(paths.newUser)} />
      </Buttons>
    </Card>
  )
}
