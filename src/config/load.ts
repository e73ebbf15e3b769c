import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import { isLoopback } from '#src/core/network.ts'
import { StartupProblem } from '#src/core/problem.ts'
import type { Config } from './config.ts'
import { containerDefaults, isContainer } from './container.ts'
import type { Settings } from './options/option.ts'
import { options } from './options/options.ts'
import { fromEnvironment, fromFile, fromFlags, type GivenValue, type OptionSource } from './sources.ts'

/**
 * Reads the configuration: flags, then the environment, then the file of `--config`, then the defaults. Paths are
 * relative to the working folder. Calls `warn` with advice about options that work but should be changed.
 *
 * @throws StartupProblem for everything that is unknown, malformed, contradictory or missing.
 */
export async function loadConfig(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  warn: (sentence: string) => void = () => {},
): Promise<Config> {
  const { config, ...settings } = await readSettings(argv, env, warn)
  refuseIncompleteSignIn(settings)
  if (settings.clamdAll && !settings.clamd)
    throw new StartupProblem('--clamd-all needs a scanner: set --clamd to its address.')
  const { noauth, socket, address } = settings
  if (noauth && !socket && !isLoopback(address))
    warn(
      `--noauth makes everyone who can reach ${address} an administrator: listen on 127.0.0.1 or on a --socket.`,
    )
  const root = resolveRoot(settings.root)
  return Object.freeze({
    ...settings,
    root,
    database: settings.database ? path.resolve(settings.database) : defaultDatabase(root),
    log: /^(stdout|stderr|)$/.test(settings.log) ? settings.log : path.resolve(settings.log),
    ...certificate(settings),
    socket: settings.socket && path.resolve(settings.socket),
    cacheDir: settings.cacheDir && path.resolve(settings.cacheDir),
    configFile: config && path.resolve(config),
  })
}

/** Where a server listens. */
export type Listener = Pick<Config, 'address' | 'port' | 'socket' | 'baseUrl' | 'cert'>

/**
 * Reads where the server of this configuration listens. Unlike `loadConfig`, needs none of its files and folders.
 *
 * @throws StartupProblem for everything that is unknown, malformed or contradictory.
 */
export async function loadListener(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Listener> {
  const { address, port, socket, baseUrl, cert } = await readSettings(argv, env, () => {})
  return { address, port, socket: socket && path.resolve(socket), baseUrl, cert }
}

async function readSettings(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  warn: (sentence: string) => void,
): Promise<Settings> {
  const sources = [fromFlags(argv), fromEnvironment(env, warn)]
  const defaults = isContainer(env) ? [containerDefaults()] : []
  const file = firstValue('config', [...sources, ...defaults])
  if (file) sources.push(await fromFile(path.resolve(file.text), isContainer(env) ? { warn } : undefined))
  refuseContradictions(sources)
  return read([...sources, ...defaults])
}

/** Returns the first value of an option. Empty text does not count, except where it is a valid value. */
function firstValue(key: keyof Settings, sources: readonly OptionSource[]): GivenValue | undefined {
  const mayBeEmpty = options.find((option) => option.key === key)?.allowsEmpty
  return sources.map((source) => source.get(key)).find((each) => each && (each.text || mayBeEmpty))
}

function read(sources: readonly OptionSource[]): Settings {
  const values = options.map((option) => {
    const { text, from } = firstValue(option.key, sources) ?? {
      text: option.default,
      from: `--${option.flag}`,
    }
    if (text === undefined) return [option.key, undefined]
    const value = option.parser.parse(text)
    if (value === undefined)
      throw new StartupProblem(`${from} must be ${option.parser.expects}; it is "${text}".`)
    return [option.key, value]
  })
  // The table's type ties each key to a parser for that key's type, which fromEntries cannot express.
  return Object.fromEntries(values) as Settings
}

function refuseContradictions(sources: readonly OptionSource[]): void {
  const socket = firstValue('socket', sources)
  if (!socket) return
  for (const key of ['address', 'port', 'cert', 'key'] as const) {
    const other = firstValue(key, sources)
    if (other)
      throw new StartupProblem(
        `${socket.from} and ${other.from} cannot be used together: remove one of them.`,
      )
  }
}

/** Refuses incomplete sign-in options, with which no user could sign in, or any client could pose as any user. */
function refuseIncompleteSignIn(settings: Omit<Settings, 'config'>): void {
  const { authHeader, noauth, trustedProxy, socket, recaptchaKey, recaptchaSecret } = settings
  if (authHeader && noauth)
    throw new StartupProblem('--auth-header and --noauth cannot be used together: remove one of them.')
  if (authHeader && trustedProxy.length === 0 && !socket) {
    throw new StartupProblem(
      '--auth-header needs a trusted proxy: set --trusted-proxy to its address, or listen on a --socket.',
    )
  }
  if (recaptchaKey && !recaptchaSecret)
    throw new StartupProblem('--recaptcha-key needs a secret: set --recaptcha-secret too.')
  if (recaptchaSecret && !recaptchaKey)
    throw new StartupProblem('--recaptcha-secret needs a site key: set --recaptcha-key too.')
}

function resolveRoot(folder: string): string {
  let root: string
  let isFolder: boolean
  try {
    root = realpathSync(folder)
    isFolder = statSync(root).isDirectory()
    if (isFolder) accessSync(root, constants.R_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const what =
      code === 'ENOENT' ? 'does not exist: create it' : `cannot be opened (${code}): change its permissions`
    throw new StartupProblem(
      `The root folder ${path.resolve(folder)} ${what}, or set --root to another folder.`,
      { cause: error },
    )
  }
  if (isFolder) return root
  throw new StartupProblem(`The root ${root} is not a folder: set --root to a folder.`)
}

function defaultDatabase(root: string): string {
  if (path.dirname(root) !== root) return `${root}.coffer.json`
  throw new StartupProblem(
    `The root ${root} has no parent folder for the state file: set --database to a file.`,
  )
}

/** Reads the pair once, so that a wrong one is reported at start and not as a failed handshake later. */
function certificate({ cert, key }: Pick<Settings, 'cert' | 'key'>): Pick<Config, 'cert' | 'key'> {
  if (!cert && !key) return { cert: undefined, key: undefined }
  if (!cert) throw new StartupProblem('--key needs a certificate: set --cert too.')
  if (!key) throw new StartupProblem('--cert needs a private key: set --key too.')
  const [certFile, keyFile] = [path.resolve(cert), path.resolve(key)]
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const files = `${certFile} and ${keyFile}`
    throw new StartupProblem(
      `${files} cannot be used as --cert and --key (${code ?? message}): check the files.`,
      { cause: error },
    )
  }
  return { cert: certFile, key: keyFile }
}
