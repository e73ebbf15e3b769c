import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { FolderField } from '#web/shared/folders/folder-field.tsx'
import { ExecOff, NoSandbox } from '#web/shared/forms/exec-notes.tsx'
import { Folded } from '#web/shared/forms/folded.tsx'
import { LanguageSelect } from '#web/shared/forms/language-select.tsx'
import { generatePassword } from '#web/shared/forms/new-password.ts'
import { type UserDraft, withAdmin } from '#web/shared/forms/user-draft.ts'
import { page } from '#web/shared/page.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { Check, Group, Hint, Select } from '#web/ui/form.tsx'
import { type Role, roleOf, roles, withRole } from './roles.ts'
import styles from './user-fields.module.css'

const granted = ['create', 'delete', 'download', 'modify', 'execute', 'rename', 'share'] as const

interface UserFieldsProps {
  draft: UserDraft
  onChange(change: Partial<UserDraft>): void
  /** Edits the defaults of new users: no name, password or lock. */
  isDefaults?: boolean
  /** A new user needs a password. */
  isNew?: boolean
  /** The scope with which a new user gets a home folder. Undefined: no scope leads to one. */
  homeScope?: string | undefined
}

/** The fields of a user except the rules. */
export function UserFields(props: UserFieldsProps) {
  const { draft, onChange, isDefaults = false, isNew = false, homeScope } = props
  const { t, i18n } = useLingui()
  const { field, group } = useSettingTexts()
  const { perm } = draft
  const note = useId()
  const minimum = page.MinimumPasswordLength
  const getsHome = homeScope !== undefined && leadsHome(draft.scope, homeScope)
  const prefix = isDefaults ? 'defaults.' : ''
  const where = isDefaults ? 'defaults' : 'user'
  const names = page.StaticGen ? ([...granted, 'publish'] as const) : granted
  return (
    <div className={styles.fields}>
      {!isDefaults && (
        <>
          <Field
            {...field('user.username')}
            valuePath="username"
            value={draft.username}
            required
            maxLength={256}
            autoFocus={isNew}
            autoComplete="off"
            dir="auto"
            autoCapitalize="none"
            onChange={(event) => onChange({ username: event.target.value })}
          />
          <PasswordField
            {...field('user.password')}
            valuePath="password"
            value={draft.password}
            required={isNew}
            help={
              isNew
                ? t`Use at least ${minimum} characters. The user can change the password in the profile.`
                : t`Leave empty to keep the password. A new one needs at least ${minimum} characters.`
            }
            autoComplete="new-password"
            onChange={(event) => onChange({ password: event.target.value })}
            onGenerate={() => onChange({ password: generatePassword() })}
          />
        </>
      )}
      <FolderField
        {...field(`${where}.scope`)}
        valuePath={`${prefix}scope`}
        value={draft.scope}
        whole={t`The whole served folder, with the files of all users.`}
        note={getsHome ? t`A home folder with the name of the user is created.` : undefined}
        onValue={(scope) => onChange({ scope })}
      />
      <LanguageSelect
        {...field(`${where}.locale`)}
        value={draft.locale}
        onChange={(locale) => onChange({ locale: locale as UserDraft['locale'] })}
      />
      {!isDefaults && (
        <Check
          {...field('user.lockPassword')}
          checked={draft.lockPassword}
          disabled={perm.admin}
          onChange={(lockPassword) => onChange({ lockPassword })}
        />
      )}
      <Group {...group(`${where}.permissions`)}>
        <Select<Role>
          {...field(`${where}.role`)}
          value={roleOf(perm)}
          onChange={(role) => onChange(changeOf(role, draft))}
          choices={roles.map(([role, name]) => [role, i18n._(name)])}
        />
        <Check
          {...field(`${where}.admin`)}
          checked={perm.admin}
          onChange={(isAdmin) => onChange(withAdmin(isAdmin, draft))}
        />
        {names.map((name) => (
          <Check
            key={name}
            {...field(`${where}.${name}`)}
            checked={perm[name] ?? false}
            disabled={perm.admin || (name === 'execute' && !page.EnableExec)}
            onChange={(isOn) => onChange({ perm: { ...perm, [name]: isOn } })}
          />
        ))}
        {perm.share && !perm.download && (
          <Hint>{t`Sharing also requires permission to download. Without it, links are refused.`}</Hint>
        )}
        <ExecOff id={note} />
        <NoSandbox />
      </Group>
      <Folded title={t`Advanced`}>
        <Field
          {...field(`${where}.commands`)}
          valuePath={`${prefix}commands`}
          value={draft.commands}
          readOnly={!page.EnableExec}
          aria-describedby={page.EnableExec ? undefined : note}
          placeholder="git svn hg"
          spellCheck={false}
          dir="ltr"
          autoCapitalize="none"
          onChange={(event) => onChange({ commands: event.target.value })}
        />
      </Folded>
    </div>
  )
}

/** What choosing a role changes. Choosing Custom changes nothing: the permissions below it do. */
function changeOf(role: Role, draft: UserDraft): Partial<UserDraft> {
  if (role === 'custom') return {}
  if (role === 'administrator') return withAdmin(true, draft)
  const own = draft.perm.admin ? withAdmin(false, draft) : {}
  return { ...own, perm: withRole(role, own.perm ?? draft.perm) }
}

/** Whether a new user with this scope gets a home folder, if the instance creates these (`src/users/provisioning.ts`). */
function leadsHome(scope: string, ofDefaults: string): boolean {
  const written = (text: string) => (['', './'].includes(text.trim()) ? '.' : text.trim())
  return ['.', written(ofDefaults)].includes(written(scope))
}
