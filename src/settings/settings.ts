import { isDeepStrictEqual } from 'node:util'
import type { SettingsInput, SettingsView } from '#contract/settings.ts'
import { checkCommands, checkRules, cleanPreferences, effectivePermissions } from '#src/core/access/grants.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import { hookEvents, type SettingsRecord, type UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { shellFault } from '#src/core/text/shell-quotes.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'

/**
 * Reads and changes the settings of the instance, for administrators.
 *
 * @param options.checkFolder throws if the host folder cannot be used for branding
 */
export function createSettings(options: {
  store: Store
  authMethod: SettingsView['authMethod']
  checkFolder: (folder: string) => Promise<void>
}) {
  const { store, authMethod, checkFolder } = options
  return {
    /** The settings as sent in responses. */
    get(): SettingsView {
      return { ...store.data.settings, authMethod }
    },

    /**
     * Changes all given settings or none. Missing settings stay, at any depth (contract/README.md#users-and-settings).
     *
     * @param recheck called directly before the change is stored, because it may have waited
     * @throws Problem `request.invalid` with the field, `auth.forbidden`.
     */
    async change(caller: UserRecord, given: SettingsInput, recheck: Recheck = unconditional): Promise<void> {
      const folder = given.branding?.files?.trim()
      if (folder && folder !== store.data.settings.branding.files) await checkFolder(folder)
      await store.update((draft) => {
        recheck()
        // The caller may have lost permissions since the request began.
        if (!entryOf(draft.users, caller.id)?.perm.admin) throw new Problem('auth.forbidden')
        const next = merged(draft.settings, given)
        refuseUnquoted(draft.settings, next)
        draft.settings = next
      })
    },
  }
}

/** Merges the given values into the settings and validates them. @throws Problem `request.invalid`. */
function merged(settings: SettingsRecord, given: SettingsInput): SettingsRecord {
  const { defaults, rules, branding, tus, shell, commands, userHomeBasePath, ...switches } = given
  return {
    ...settings,
    ...switches,
    ...(userHomeBasePath !== undefined && { userHomeBasePath: checkHomeBase(userHomeBasePath) }),
    ...(defaults && { defaults: mergedDefaults(settings.defaults, defaults) }),
    ...(rules !== undefined && { rules: checkRules(rules, 'rules') }),
    branding: mergedBranding(settings.branding, branding),
    tus: { ...settings.tus, ...tus },
    ...(shell !== undefined && { shell: nonEmptyLines(shell) }),
    ...(commands && { commands: replacedCommands(commands) }),
  }
}

function mergedDefaults(
  defaults: SettingsRecord['defaults'],
  given: NonNullable<SettingsInput['defaults']>,
): SettingsRecord['defaults'] {
  const { scope, perm, commands } = given
  if (scope !== undefined) checkPath(scope, 'defaults.scope')
  return {
    ...defaults,
    ...cleanPreferences(given),
    // Stored as written: a user form that sends it back unchanged then sets no scope
    // (contract/compatibility.md#rules-and-scopes).
    ...(scope !== undefined && { scope: scope.trim() || '.' }),
    ...(perm && { perm: effectivePermissions({ ...defaults.perm, ...perm }) }),
    ...(commands !== undefined && { commands: checkCommands(commands, 'defaults.commands') }),
  }
}

function mergedBranding(
  branding: SettingsRecord['branding'],
  given: SettingsInput['branding'],
): SettingsRecord['branding'] {
  const next = { ...branding, ...given }
  return { ...next, name: next.name.trim(), files: next.files.trim() }
}

/**
 * The command lines of all events after `given` replaces them: an event that `given` does not name gets no lines. The
 * result always contains the ten known events.
 */
function replacedCommands(given: NonNullable<SettingsInput['commands']>): SettingsRecord['commands'] {
  const none = hookEvents.map((name): [string, string[]] => [name, []])
  const lines = Object.entries(given).map(([name, text]) => [name, nonEmptyLines(text)] as const)
  return { ...Object.fromEntries(none), ...Object.fromEntries(lines) }
}

/**
 * Rejects command lines whose variables the shell would split. Unchanged lines of an older state do not block the
 * saving of other settings; they are rejected when they run.
 *
 * @throws Problem `request.invalid` with the event and the line.
 */
function refuseUnquoted(before: SettingsRecord, { shell, commands }: SettingsRecord): void {
  if (shell.length === 0) return
  if (isDeepStrictEqual([shell, commands], [before.shell, before.commands])) return
  for (const [event, lines] of Object.entries(commands)) {
    for (const [at, line] of lines.entries()) {
      const fault = shellFault(line)
      if (fault === undefined) continue
      const reason = `line ${at + 1} (${shortened(line)}) cannot run in the shell: ${fault}`
      throw new Problem('request.invalid', { field: `commands.${event}`, reason })
    }
  }
}

function shortened(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80).toWellFormed()}…` : line
}

function nonEmptyLines(lines: readonly string[] | null): string[] {
  return (lines ?? []).map((line) => line.trim()).filter((line) => line !== '')
}

function checkHomeBase(written: string): string {
  return checkPath(written.trim() || '/users', 'userHomeBasePath')
}

/** A path in the served folder, in normal form. @throws Problem `request.invalid`. */
function checkPath(written: string, field: string): string {
  try {
    return normalizePath(written.trim()).path
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem('request.invalid', { field, reason: error.message }, { cause: error })
  }
}
