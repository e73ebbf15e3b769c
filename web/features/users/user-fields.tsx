import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import type { Permissions } from '#contract/users.ts'
import { ExecOff, NoSandbox } from '#web/shared/forms/exec-notes.tsx'
import { Folded } from '#web/shared/forms/folded.tsx'
import { LanguageSelect } from '#web/shared/forms/language-select.tsx'
import { type UserDraft, withAdmin } from '#web/shared/forms/user-draft.ts'
import { page } from '#web/shared/page.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Group, Hint, Select } from '#web/ui/form.tsx'
import { type Role, roleOf, roles, withRole } from './roles.ts'
import styles from './user-fields.module.css'

interface UserFieldsProps {
  draft: UserDraft
  onChange(change: Partial<UserDraft>): void
  /** Edits the defaults of new users: no name, password or lock. */
  isDefaults?: boolean
  /** A new user needs a password. */
  isNew?: boolean
}

/** The fields of a user except the rules. */
export function UserFields({ draft, onChange, isDefaults = false, isNew = false }: UserFieldsProps) {
  const { t, i18n } = useLingui()
  const { perm } = draft
  const note = useId()
  const scopeNote = useId()
  const prefix = isDefaults ? 'defaults.' : ''
  const names: [keyof Permissions, string][] = [
    ['create', t`Create files and folders`],
    ['delete', t`Delete files and folders`],
    ['download', t`Download`],
    ['modify', t`Edit files`],
    ['execute', t`Execute commands`],
    ['rename', t`Rename or move files and folders`],
    ['share', t`Share files`],
  ]
  if (page.StaticGen) names.push(['publish', t`Publish posts and pages`])
  return (
    <div className={styles.fields}>
      {!isDefaults && (
        <>
          <Field
            label={t`Username`}
            valuePath="username"
            value={draft.username}
            required
            maxLength={256}
            autoComplete="off"
            dir="auto"
            autoCapitalize="none"
            onChange={(event) => onChange({ username: event.target.value })}
          />
          <Field
            label={t`Password`}
            valuePath="password"
            type="password"
            value={draft.password}
            required={isNew}
            placeholder={isNew ? undefined : t`Leave empty to keep the password`}
            autoComplete="new-password"
            onChange={(event) => onChange({ password: event.target.value })}
          />
        </>
      )}
      <Field
        label={t`Scope`}
        valuePath={`${prefix}scope`}
        aria-describedby={scopeNote}
        value={draft.scope}
        spellCheck={false}
        dir="ltr"
        autoCapitalize="none"
        onChange={(event) => onChange({ scope: event.target.value })}
      />
      <Hint id={scopeNote}>{t`The folder shown as “My files”.`}</Hint>
      <LanguageSelect
        value={draft.locale}
        onChange={(locale) => onChange({ locale: locale as UserDraft['locale'] })}
      />
      {!isDefaults && (
        <Check
          label={t`Prevent the user from changing the password`}
          checked={draft.lockPassword}
          disabled={perm.admin}
          onChange={(lockPassword) => onChange({ lockPassword })}
        />
      )}
      <Group label={t`Permissions`}>
        <Select<Role>
          label={t`Role`}
          value={roleOf(perm)}
          onChange={(role) => onChange(changeOf(role, perm))}
          choices={roles.map(([role, name]) => [role, i18n._(name)])}
        />
        <Check
          label={t`Administrator`}
          checked={perm.admin}
          onChange={(isAdmin) => onChange(withAdmin(isAdmin, perm))}
        />
        {names.map(([name, label]) => (
          <Check
            key={name}
            label={label}
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
          label={t`Allowed commands, separated by spaces`}
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
function changeOf(role: Role, perm: Permissions): Partial<UserDraft> {
  if (role === 'custom') return {}
  if (role === 'administrator') return withAdmin(true, perm)
  const own = perm.admin ? withAdmin(false, perm).perm : perm
  return { perm: withRole(role, own ?? perm) }
}
