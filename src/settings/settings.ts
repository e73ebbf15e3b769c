import { isDeepStrictEqual } from 'node:util'
import type { GivenSettings, SettingsView } from '#contract/settings.ts'
import { checkCommands, checkRules, cleanPreferences, wholePerm } from '#src/core/access/grants.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import { hookEvents, type SettingsRecord, type UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { shellFault } from '#src/core/text/shell-quotes.ts'
import { typedPath } from '#src/files/paths/user-path.ts'

/**
 * The settings of the instance, read and changed by administrators.
 *
 * @param options.checkFolder throws unless branding can come from this folder of the host
 */
export function createSettings(options: {
  store: Store
  authMethod: SettingsView['authMethod']
  checkFolder: (folder: string) => Promise<void>
}) {
  const { store, authMethod, checkFolder } = options
  return {
    /** The settings as the calls answer them. */
    get(): SettingsView {
      return { ...store.data.settings, authMethod }
    },

    /**
     * Changes what is given, all of it or nothing; what is missing, at any depth, stays (contract/README.md#users-and-settings).
     *
     * @param recheck called when the change is made, which may have had to wait
     * @throws Problem `request.invalid` with the field, `auth.forbidden`.
     */
    async change(caller: UserRecord, given: GivenSettings, recheck: Recheck = unconditional): Promise<void> {
      const folder = given.branding?.files?.trim()
      if (folder && folder !== store.data.settings.branding.files) await checkFolder(folder)
      await store.change((draft) => {
        recheck()
        // Since the request began, the caller may have lost what let them ask.
        if (!entryOf(draft.users, caller.id)?.perm.admin) throw new Problem('auth.forbidden')
        const next = merged(draft.settings, given)
        refuseUnquoted(draft.settings, next)
        draft.settings = next
      })
    },
  }
}

/** The settings with what is given in its place, checked. @throws Problem `request.invalid`. */
function merged(settings: SettingsRecord, given: GivenSettings): SettingsRecord {
  const { defaults, rules, branding, tus, shell, commands, userHomeBasePath, ...switches } = given
  return {
    ...settings,
    ...switches,
    ...(userHomeBasePath !== undefined && { userHomeBasePath: checkBase(userHomeBasePath) }),
    ...(defaults && { defaults: mergedDefaults(settings.defaults, defaults) }),
    ...(rules !== undefined && { rules: checkRules(rules, 'rules') }),
    branding: mergedBranding(settings.branding, branding),
    tus: { ...settings.tus, ...tus },
    ...(shell !== undefined && { shell: filled(shell) }),
    ...(commands && { commands: replacedCommands(commands) }),
  }
}

function mergedDefaults(
  defaults: SettingsRecord['defaults'],
  given: NonNullable<GivenSettings['defaults']>,
): SettingsRecord['defaults'] {
  const { scope, perm, commands } = given
  if (scope !== undefined) checkPath(scope, 'defaults.scope')
  return {
    ...defaults,
    ...cleanPreferences(given),
    // Kept as written: a form that sends it back unchanged says nothing about a scope (contract/compatibility.md#rules-and-scopes).
    ...(scope !== undefined && { scope: scope.trim() || '.' }),
    ...(perm && { perm: wholePerm({ ...defaults.perm, ...perm }) }),
    ...(commands !== undefined && { commands: checkCommands(commands, 'defaults.commands') }),
  }
}

function mergedBranding(
  branding: SettingsRecord['branding'],
  given: GivenSettings['branding'],
): SettingsRecord['branding'] {
  const next = { ...branding, ...given }
  return { ...next, name: next.name.trim(), files: next.files.trim() }
}

/**
 * The lines bound to events once `given` replaces all of them: an event that `given` does not name has none. The ten known
 * events are always named.
 */
function replacedCommands(given: NonNullable<GivenSettings['commands']>): SettingsRecord['commands'] {
  const none = hookEvents.map((name): [string, string[]] => [name, []])
  const lines = Object.entries(given).map(([name, text]) => [name, filled(text)] as const)
  return { ...Object.fromEntries(none), ...Object.fromEntries(lines) }
}

/**
 * Refuses bound lines that the shell would take apart. Lines of an older state that stay as they are do not keep other
 * settings from being saved: they are refused when they are to run.
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

function filled(lines: readonly string[] | null): string[] {
  return (lines ?? []).map((line) => line.trim()).filter((line) => line !== '')
}

function checkBase(written: string): string {
  return checkPath(written.trim() || '/users', 'userHomeBasePath')
}

/** A path in the served root, in its one normal form. @throws Problem `request.invalid`. */
function checkPath(written: string, field: string): string {
  try {
    return typedPath(written.trim()).path
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem('request.invalid', { field, reason: error.message }, { cause: error })
  }
}
