/** A step that turns a state of version n into one of version n + 1. Pure, but may change its argument. */
type Migration = (state: Record<string, unknown>) => void

/** Step n, at index n - 1, leads from version n to version n + 1. Released steps never change. */
const steps: readonly Migration[] = [laterPreferences, deviceThemes, userThemes, shareRights, shareItems]

/** The version that this program writes. */
export const currentVersion = steps.length + 1

/**
 * Migrates the content of a state file to the current version, step by step.
 *
 * @returns undefined when the content is not a state or is newer than this program.
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

/** Whether a newer program wrote the content of a state file. */
export function isNewer(content: unknown): boolean {
  const { version } = (content ?? {}) as { version?: unknown }
  return Number.isInteger(version) && Number(version) > currentVersion
}

/**
 * Version 2: adds shares, and preferences and settings of later versions of File Browser. Existing users see no change.
 */
function laterPreferences(state: Record<string, unknown>): void {
  const settings = objectOf(state.settings)
  for (const owner of [...Object.values(objectOf(state.users)), settings.defaults]) {
    Object.assign(objectOf(owner), { aceEditorTheme: '', redirectAfterCopyMove: false })
  }
  state.shares ??= {}
  Object.assign(settings, { hideLoginButton: false, tus: { chunkSize: 10 * 1024 * 1024, retryCount: 5 } })
}

/** Version 3: `followDevice` decides whether an empty theme follows the device. Before, it always did. */
function deviceThemes(state: Record<string, unknown>): void {
  objectOf(objectOf(state.settings).branding).followDevice = true
}

/**
 * Version 4: adds a theme for each user. Before, every user who signed up got a folder of their own. From now on,
 * `createUserDir` decides this. It is enabled where sign-up is enabled, so that new users do not get the default scope.
 */
function userThemes(state: Record<string, unknown>): void {
  const settings = objectOf(state.settings)
  for (const owner of [...Object.values(objectOf(state.users)), settings.defaults]) {
    objectOf(owner).theme = ''
  }
  if (settings.signup === true) settings.createUserDir = true
}

/**
 * Version 5: shares may have rights and conditions. Nothing changes, but an older program would let everybody download
 * from a share that only receives files. It refuses this version instead.
 */
function shareRights(): void {}

/**
 * Version 6: shares may be for named people, or of several resources in a folder. Nothing changes, but an older program
 * would open them for everybody, or the whole folder.
 */
function shareItems(): void {}

/**
 * Returns `value` if it is an object, because a damaged file may contain any value. The result is validated afterwards.
 */
function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
