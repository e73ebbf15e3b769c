import type { SettingsInput } from '#contract/settings.ts'
import type { UserInput } from '#contract/users.ts'
import { StartupProblem } from '#src/core/problem.ts'
import type { Arguments, Flags } from './subcommand.ts'

const permissions = [
  'admin',
  'execute',
  'create',
  'rename',
  'modify',
  'delete',
  'share',
  'download',
  'publish',
] as const
const switches = ['singleClick', 'redirectAfterCopyMove', 'dateFormat', 'hideDotfiles'] as const
const texts = ['scope', 'locale', 'viewMode', 'aceEditorTheme', 'theme'] as const

/** The flags for fields of a user, and for the fields that new users get (file-browser names, section 12.3). */
export const fieldFlags: Flags = {
  ...Object.fromEntries(
    permissions.map((name) => [
      `perm.${name}`,
      { description: `Whether the user has the permission ${name}.` },
    ]),
  ),
  'sorting.by': { value: 'FIELD', description: 'The order of lists: name, size or modified.' },
  'sorting.asc': { description: 'Whether lists are in ascending order.' },
  commands: { value: 'LIST', description: 'The programs that the user may run, separated by commas.' },
  scope: { value: 'FOLDER', description: 'The folder of the user, below the served folder.' },
  locale: { value: 'LANGUAGE', description: 'The language of the page, such as en or pt-br.' },
  viewMode: { value: 'MODE', description: 'list, mosaic or mosaic gallery.' },
  theme: { value: 'THEME', description: 'light, dark or auto.' },
  singleClick: { description: 'Whether a single click opens.' },
  redirectAfterCopyMove: { description: 'Whether the page shows the target after copying or moving.' },
  dateFormat: { description: 'Whether lists show exact times.' },
  hideDotfiles: { description: 'Whether names that begin with a dot are hidden.' },
  aceEditorTheme: { value: 'NAME', description: 'The colours of the editor.' },
}

/** The fields that the flags set. A permission that no flag names has the value in `present`. */
export function givenFields(
  args: Arguments,
  present?: { perm: object; sorting: object },
): Pick<UserInput, 'perm' | 'sorting' | 'commands' | (typeof texts)[number] | (typeof switches)[number]> {
  const perm = chosen(args, permissions, 'perm.')
  const [by, asc] = [args.value('sorting.by'), args.choice('sorting.asc')]
  const commands = args.value('commands')
  const isSorted = by !== undefined || asc !== undefined
  const fields = {
    ...(Object.keys(perm).length > 0 && { perm: { ...present?.perm, ...perm } }),
    ...(isSorted && {
      sorting: { ...present?.sorting, ...(by !== undefined && { by }), ...(asc !== undefined && { asc }) },
    }),
    ...(commands !== undefined && { commands: splitList(commands) }),
    ...chosen(args, switches),
    ...given(args, texts),
  }
  // Validated by the schema of the control call.
  return fields as ReturnType<typeof givenFields>
}

const settingSwitches = ['signup', 'hideLoginButton', 'createUserDir'] as const
const brandingSwitches = ['disableExternal', 'disableUsedPercentage', 'followDevice'] as const
const brandingTexts = ['name', 'files', 'theme', 'color'] as const

/** The flags of `coffer config set`, besides the fields of new users. */
export const settingFlags: Flags = {
  signup: { short: 's', description: 'Whether visitors may create accounts.' },
  hideLoginButton: { description: 'Whether public pages hide the button to sign in.' },
  createUserDir: { description: 'Whether new users get a home folder.' },
  userHomeBasePath: { value: 'FOLDER', description: 'The folder of the home folders.' },
  minimumPasswordLength: { value: 'NUMBER', description: 'The minimum length of passwords.' },
  fileMode: { value: 'MODE', description: 'The mode of new files, in octal.' },
  dirMode: { value: 'MODE', description: 'The mode of new folders, in octal.' },
  shell: {
    value: 'TEXT',
    description: 'The shell that runs commands and its arguments, separated by spaces.',
  },
  'branding.name': { value: 'TEXT', description: 'The name of this instance.' },
  'branding.files': { value: 'FOLDER', description: 'The folder with custom.css and img/.' },
  'branding.theme': { value: 'THEME', description: 'light or dark.' },
  'branding.color': { value: 'COLOUR', description: 'The colour of the page.' },
  'branding.disableExternal': { description: 'Whether external links are hidden.' },
  'branding.disableUsedPercentage': { description: 'Whether the used space is hidden.' },
  'branding.followDevice': { description: 'Whether pages are light or dark like the device.' },
  'tus.chunkSize': {
    value: 'BYTES',
    description: 'The maximum size of a piece of an upload. 10485760: the page chooses.',
  },
  'tus.retryCount': { value: 'NUMBER', description: 'How often a failed piece is sent again.' },
}

/** The settings that the flags set. Fields of users are the defaults of new users. */
export function givenSettings(args: Arguments): SettingsInput {
  const defaults = givenFields(args)
  const branding = {
    ...chosen(args, brandingSwitches, 'branding.'),
    ...given(args, brandingTexts, 'branding.'),
  }
  const tus = numbers(args, ['chunkSize', 'retryCount'], 10, 'tus.')
  const shell = args.value('shell')
  const input = {
    ...chosen(args, settingSwitches),
    ...given(args, ['userHomeBasePath']),
    ...numbers(args, ['minimumPasswordLength'], 10),
    ...numbers(args, ['fileMode', 'dirMode'], 8),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...(Object.keys(branding).length > 0 && { branding }),
    ...(Object.keys(tus).length > 0 && { tus }),
    ...(shell !== undefined && { shell: shell.split(/\s+/).filter((word) => word !== '') }),
  }
  if (Object.keys(input).length === 0)
    throw new StartupProblem('There is nothing to set: coffer config set --help lists all flags.')
  return input as SettingsInput
}

function chosen(args: Arguments, names: readonly string[], prefix = ''): Record<string, boolean> {
  return definedOf(names, (name) => args.choice(prefix + name))
}

function given(args: Arguments, names: readonly string[], prefix = ''): Record<string, string> {
  return definedOf(names, (name) => args.value(prefix + name))
}

function definedOf<T>(names: readonly string[], read: (name: string) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function numbers(
  args: Arguments,
  names: readonly string[],
  base: 8 | 10,
  prefix = '',
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(given(args, names, prefix)).map(([name, text]) => {
      const isNumber = base === 8 ? /^(0o)?[0-7]{1,5}$/ : /^\d{1,15}$/
      if (!isNumber.test(text))
        throw new StartupProblem(
          `--${prefix}${name} must be ${base === 8 ? 'an octal ' : 'a '}number; it is "${text}".`,
        )
      return [name, Number.parseInt(text.replace(/^0o/, ''), base)]
    }),
  )
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
