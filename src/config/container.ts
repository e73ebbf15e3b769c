import { existsSync } from 'node:fs'
import { isFileBrowserDatabase, readKeys } from './config-file.ts'
import type { Option } from './options/option.ts'
import type { OptionSource } from './sources.ts'

/** The folders of the image that belong to Coffer. Users mount volumes there. */
export const ownFolders = ['/config', '/database'] as const

/** The configuration files that are read without `--config`. The last one is for images of File Browser before 2.33. */
const configFiles = [
  '/config/settings.json',
  '/config/settings.yaml',
  '/config/settings.yml',
  '/config/settings.toml',
  '/.filebrowser.json',
]

/** Where the images of File Browser have their database, from 2.33 on and before. */
const databases = ['/database/filebrowser.db', '/database.db']

/** Whether this is the image of Coffer, which sets this variable. */
export function isContainer(env: NodeJS.ProcessEnv): boolean {
  return env.COFFER_CONTAINER === 'yes'
}

/**
 * Returns the defaults in the image, which differ from those of the program: the folders of the image, and the port on
 * which File Browser listens in its image, so that the same port mappings work.
 */
export function containerDefaults(): OptionSource {
  const config = configFiles.find((file) => existsSync(file))
  const values: [Option['key'], string][] = [
    ['root', '/srv'],
    ['address', '0.0.0.0'],
    ['port', '80'],
    ['database', '/database/coffer.json'],
    ...(config === undefined ? [] : [['config', config] as [Option['key'], string]]),
  ]
  return new Map(values.map(([key, text]) => [key, { text, from: 'the image' }]))
}

/**
 * Returns the paths where a database of File Browser may be, the most likely first: as configured for File Browser,
 * then where its images have it.
 *
 * @param configFile the configuration file that is in use, if there is one
 * @throws StartupProblem when the configuration file cannot be read.
 */
export async function fileBrowserDatabases(
  env: NodeJS.ProcessEnv,
  configFile: string | undefined,
): Promise<string[]> {
  const keys = configFile === undefined ? [] : Object.entries(await readKeys(configFile))
  const configured = keys.filter(([name]) => name.toLowerCase() === 'database').map(([, value]) => value)
  return [...new Set([env.FB_DATABASE, ...configured, ...databases].filter(isFileBrowserDatabase))]
}
