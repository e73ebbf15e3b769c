import type { Permissions, Rule, UserView } from '#contract/users.ts'
import { page } from '#web/shared/page.ts'

/** A user as a form edits them. */
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
}

/** The words of a line; empty ones are dropped. */
export function splitWords(line: string): string[] {
  return line.split(/\s+/).filter(Boolean)
}

/** `user` for a form. */
export function draftOfUser(user: UserView): UserDraft {
  const { username, scope, locale, lockPassword, perm, commands, rules } = user
  return { username, password: '', scope, locale, lockPassword, perm, commands: commands.join(' '), rules }
}

/** What a form's draft says of a user. */
export function userOfDraft({ commands, rules, ...draft }: UserDraft) {
  const username = draft.username.trim()
  return {
    ...draft,
    username,
    rules: rules.map(soundRule),
    commands: splitWords(commands),
  }
}

/** A rule's path counts from the user's folder, whether it is written with the slash or without. */
export function soundRule(rule: Rule): Rule {
  return rule.regex || rule.path.startsWith('/') || !rule.path ? rule : { ...rule, path: `/${rule.path}` }
}

/**
 * An administrator may do everything and keeps the right to their own password. Where commands are
 * turned off, the form cannot remove the execute right, so removing admin removes it too.
 */
export function withAdmin(isAdmin: boolean, perm: Permissions): Partial<UserDraft> {
  if (!isAdmin) return { perm: { ...perm, admin: false, execute: page.EnableExec && perm.execute } }
  const all = Object.fromEntries(Object.keys(perm).map((name) => [name, true])) as Permissions
  return { perm: all, lockPassword: false }
}
