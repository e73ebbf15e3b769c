import type { Permissions, Rule, UserView } from '#contract/users.ts'
import { page } from '#web/shared/page.ts'

/** A user as edited in a form. */
export interface UserDraft {
  username: string
  /** Empty: unchanged. */
  password: string
  scope: string
  locale: UserView['locale']
  lockPassword: boolean
  perm: Permissions
  /** Program names, separated by spaces. */
  commands: string
  rules: Rule[]
  /** What the form contained before it made the user an administrator. */
  beforeAdmin?: Pick<UserDraft, 'perm' | 'lockPassword'> | undefined
}

/** Splits a line into words. */
export function splitWords(line: string): string[] {
  return line.split(/\s+/).filter(Boolean)
}

/** Converts a user to a draft. */
export function draftOfUser(user: UserView): UserDraft {
  const { username, scope, locale, lockPassword, perm, commands, rules } = user
  return { username, password: '', scope, locale, lockPassword, perm, commands: commands.join(' '), rules }
}

/** Converts a draft to the fields of a user. */
export function userOfDraft({ commands, rules, beforeAdmin: _, ...draft }: UserDraft) {
  const username = draft.username.trim()
  return {
    ...draft,
    username,
    rules: rules.map(normalizeRule),
    commands: splitWords(commands),
  }
}

/** Adds the leading slash to the path of a rule. Paths are relative to the user's folder either way. */
export function normalizeRule(rule: Rule): Rule {
  return rule.regex || rule.path.startsWith('/') || !rule.path ? rule : { ...rule, path: `/${rule.path}` }
}

/**
 * Administrators have all permissions and may always change their own password. If the form made the user an
 * administrator, removing admin restores what it contained before. If commands are disabled, the form cannot remove the
 * execute permission, so removing admin removes it as well.
 */
export function withAdmin(isAdmin: boolean, draft: UserDraft): Partial<UserDraft> {
  const { perm, lockPassword, beforeAdmin } = draft
  if (!isAdmin) {
    const before = beforeAdmin ?? {
      perm: { ...perm, admin: false, execute: page.EnableExec && perm.execute },
    }
    return { ...before, beforeAdmin: undefined }
  }
  const names = [...Object.keys(perm), ...(page.StaticGen ? ['publish'] : [])]
  const all = Object.fromEntries(names.map((name) => [name, true])) as Permissions
  return { perm: all, lockPassword: false, beforeAdmin: perm.admin ? beforeAdmin : { perm, lockPassword } }
}
