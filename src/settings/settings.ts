import { isDeepStrictEqual } from 'node:util'
import type { KeepingSettings } from '#contract/history/kept.ts'
import type { SiteGenerator } from '#contract/publish.ts'
import type { SettingsInput, SettingsView } from '#contract/settings.ts'
import { checkCommands, checkRules, cleanPreferences, effectivePermissions } from '#src/access/grants.ts'
import { Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import { shellFault } from '#src/core/text/shell-quotes.ts'
import { normalizeSetting } from '#src/files/paths/user-path.ts'
import { defaultAudit, defaultKeeping, defaultSharing, hookEvents } from '#src/state/defaults.ts'
import type { SettingsRecord, UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { mergedSite, siteSettingsOf } from './site-settings.ts'

/**
 * Reads and changes the settings of the instance, for administrators.
 *
 * @param options.checkFolder throws if the host folder cannot be used for branding
 * @param options.generator the generator of the website; undefined: settings for it are neither sent nor changed
 */
export function createSettings(options: {
  store: Store
  authMethod: SettingsView['authMethod']
  checkFolder: (folder: string) => Promise<void>
  generator: SiteGenerator | undefined
}) {
  const { store, authMethod, checkFolder, generator } = options
  return {
    /** The settings as sent in responses. */
    async get(): Promise<SettingsView> {
      const present = await store.settings.get()
      const { staticGen, mail: _own, ...others } = present
      const settings = { ...usual, ...others }
      if (!generator) return { ...settings, authMethod }
      const commands = { before_publish: [], after_publish: [], ...settings.commands }
      return { ...settings, commands, authMethod, staticGen: siteSettingsOf(generator, staticGen) }
    },

    /**
     * Changes all given settings or none. Missing settings stay, at any depth (contract/README.md#users-and-settings).
     *
     * @param caller undefined: the operator of the machine
     * @param given the settings, or a function that returns them from the present ones
     * @param recheck called directly before the change is stored, because it may have waited
     * @throws Problem `request.invalid` with the field, `auth.forbidden`.
     */
    async change(
      caller: UserRecord | undefined,
      given: SettingsInput | ((present: SettingsRecord) => SettingsInput),
      recheck: Recheck = unconditional,
    ): Promise<void> {
      const folder = typeof given === 'function' ? undefined : given.branding?.files?.trim()
      if (folder && folder !== (await store.settings.get()).branding.files) await checkFolder(folder)
      await store.change((draft) => {
        recheck()
        // The caller may have lost permissions since the request began.
        if (caller && !draft.users.get(caller.id)?.perm.admin) throw new Problem('auth.forbidden')
        const input = typeof given === 'function' ? given(draft.settings) : given
        const next = { ...merged(draft.settings, input), ...changedSite(generator, draft.settings, input) }
        refuseUnquoted(draft.settings, next)
        draft.settings = next
      })
    },
  }
}

export type Settings = ReturnType<typeof createSettings>

/** Merges the given values into the settings and validates them. @throws Problem `request.invalid`. */
function merged(settings: SettingsRecord, given: SettingsInput): SettingsRecord {
  const {
    defaults,
    rules,
    branding,
    tus,
    keeping,
    audit,
    sharing,
    shell,
    commands,
    userHomeBasePath,
    staticGen,
    ...switches
  } = given
  return {
    ...settings,
    ...switches,
    ...(userHomeBasePath !== undefined && { userHomeBasePath: checkHomeBase(userHomeBasePath) }),
    ...(defaults && { defaults: mergedDefaults(settings.defaults, defaults) }),
    ...(rules !== undefined && { rules: checkRules(rules, 'rules') }),
    branding: mergedBranding(settings.branding, branding),
    tus: { ...settings.tus, ...tus },
    ...(keeping && unlessUsual('keeping', settings, mergedKeeping(settings.keeping, keeping))),
    ...(shell !== undefined && { shell: nonEmptyLines(shell) }),
    ...(commands && { commands: replacedCommands(commands) }),
    ...(audit && unlessUsual('audit', settings, { ...(settings.audit ?? defaultAudit), ...audit })),
    ...(sharing && unlessUsual('sharing', settings, { ...(settings.sharing ?? defaultSharing), ...sharing })),
  }
}

const usual = { keeping: defaultKeeping, audit: defaultAudit, sharing: defaultSharing }

/** A setting that is missing from the state stays missing when it is set to its default value. */
function unlessUsual<K extends keyof typeof usual>(
  name: K,
  settings: SettingsRecord,
  value: (typeof usual)[K],
): Pick<SettingsRecord, K> | undefined {
  const isUsual = settings[name] === undefined && isDeepStrictEqual(value, usual[name])
  return isUsual ? undefined : ({ [name]: value } as Pick<SettingsRecord, K>)
}

function mergedKeeping(
  keeping: KeepingSettings = defaultKeeping,
  given: NonNullable<SettingsInput['keeping']>,
): KeepingSettings {
  const next = { ...keeping, ...given }
  return {
    ...next,
    withoutVersions: next.withoutVersions.map((folder) => checkPath(folder, 'keeping.withoutVersions')),
  }
}

function changedSite(
  generator: SiteGenerator | undefined,
  { staticGen }: SettingsRecord,
  given: SettingsInput,
): Pick<SettingsRecord, 'staticGen'> {
  if (!generator || !given.staticGen) return {}
  return { staticGen: mergedSite(generator, siteSettingsOf(generator, staticGen), given.staticGen) }
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
    return normalizeSetting(written.trim()).path
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem('request.invalid', { field, reason: error.message }, { cause: error })
  }
}
