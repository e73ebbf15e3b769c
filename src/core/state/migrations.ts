/** One step: what a state of version n becomes in version n + 1. Pure; may change the object it is given. */
type Migration = (state: Record<string, unknown>) => void

/** Step n, at index n - 1, leads from version n to version n + 1. Steps that were released are never changed. */
const steps: readonly Migration[] = [laterPreferences, themesOfDevices, themesOfPeople]

/** The version that this program writes. */
export const currentVersion = steps.length + 1

/**
 * Brings a state file's content to the current version, step by step.
 *
 * @returns undefined when the content is no state or is newer than this program.
 */
export function migrate(content: unknown, path: readonly Migration[] = steps): unknown {
  if (typeof content !== 'object' || content === null) return undefined
  const state = structuredClone(content) as Record<string, unknown>
  const { version } = state
  if (typeof version !== 'number' || !Number.isInteger(version)) return undefined
  if (version < 1 || version > path.length + 1) return undefined
  for (const [at, step] of path.entries()) {
    if (at + 1 < version) continue
    step(state)
    state.version = at + 2
  }
  return state
}

/** Whether a state file's content says that a newer program wrote it. */
export function isNewer(content: unknown): boolean {
  const { version } = (content ?? {}) as { version?: unknown }
  return Number.isInteger(version) && Number(version) > currentVersion
}

/** Version 2: shares, and the preferences and switches that later versions of File Browser added; existing people see no change. */
function laterPreferences(state: Record<string, unknown>): void {
  const settings = objectOf(state.settings)
  for (const holder of [...Object.values(objectOf(state.users)), settings.defaults]) {
    Object.assign(objectOf(holder), { aceEditorTheme: '', redirectAfterCopyMove: false })
  }
  state.shares ??= {}
  Object.assign(settings, { hideLoginButton: false, tus: { chunkSize: 10 * 1024 * 1024, retryCount: 5 } })
}

/** Version 3: an empty theme may be as each device likes it, which it was by itself before. */
function themesOfDevices(state: Record<string, unknown>): void {
  objectOf(objectOf(state.settings).branding).followDevice = true
}

/**
 * Version 4: a theme for each person. Until now everybody who signed up got a folder of their own; from now on
 * `createUserDir` decides. It is switched on where sign-up is open, so that strangers do not get the default scope.
 */
function themesOfPeople(state: Record<string, unknown>): void {
  const settings = objectOf(state.settings)
  for (const holder of [...Object.values(objectOf(state.users)), settings.defaults]) {
    objectOf(holder).theme = ''
  }
  if (settings.signup === true) settings.createUserDir = true
}

/** A damaged file may hold anything anywhere; whether the result is a state is asked afterwards. */
function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
