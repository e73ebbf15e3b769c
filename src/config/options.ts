import { execOptions } from './exec.ts'
import { limitOptions } from './limits.ts'
import type { Option } from './option.ts'
import { basePath, dirMode, duration, fileMode, format, mode, port, ranges, text } from './parsers.ts'
import { previewOptions } from './previews.ts'
import { signInOptions } from './sign-in.ts'

/** Every option, in the order of the help. Parsing, `--help` and the README use this table. */
export const options: readonly Option[] = [
  {
    key: 'root',
    flag: 'root',
    short: 'r',
    value: 'FOLDER',
    default: '.',
    read: text,
    sentence: 'The folder that is served.',
    inherited: ['root'],
  },
  {
    key: 'address',
    flag: 'address',
    short: 'a',
    value: 'ADDRESS',
    default: '127.0.0.1',
    read: text,
    sentence: 'The address to listen on; 0.0.0.0 or :: means every address of this machine.',
    inherited: ['address'],
  },
  {
    key: 'port',
    flag: 'port',
    short: 'p',
    value: 'NUMBER',
    default: '8080',
    read: port,
    sentence: 'The port to listen on; 0 takes any free one.',
    inherited: ['port'],
  },
  {
    key: 'baseUrl',
    flag: 'baseurl',
    short: 'b',
    value: 'PATH',
    default: '',
    otherwise: 'none',
    read: basePath,
    sentence: 'The path under which a proxy shows Coffer, such as /files.',
    inherited: ['baseurl', 'base-url'],
  },
  {
    key: 'database',
    flag: 'database',
    short: 'd',
    value: 'FILE',
    otherwise: 'the root with .coffer.json after it',
    read: text,
    sentence: 'The file that keeps users and settings.',
  },
  {
    key: 'config',
    flag: 'config',
    short: 'c',
    value: 'FILE',
    otherwise: 'none',
    read: text,
    sentence: 'A JSON, YAML or TOML file with these options; its keys are the flags without dashes in front.',
  },
  {
    key: 'log',
    flag: 'log',
    short: 'l',
    value: 'TARGET',
    default: 'stdout',
    read: text,
    sentence: 'Where the log goes: stdout, stderr, a file, or nowhere when empty.',
    mayBeEmpty: true,
    inherited: ['log'],
  },
  {
    key: 'logFormat',
    flag: 'log-format',
    value: 'FORMAT',
    default: 'text',
    read: format,
    sentence: 'How a log line looks: text for people, json for programs.',
  },
  {
    key: 'cert',
    flag: 'cert',
    short: 't',
    value: 'FILE',
    otherwise: 'none',
    read: text,
    sentence: 'The TLS certificate (PEM); needs --key.',
    inherited: ['cert'],
  },
  {
    key: 'key',
    flag: 'key',
    short: 'k',
    value: 'FILE',
    otherwise: 'none',
    read: text,
    sentence: 'The private key of the certificate (PEM); needs --cert.',
    inherited: ['key'],
  },
  {
    key: 'socket',
    flag: 'socket',
    value: 'FILE',
    otherwise: 'none',
    read: text,
    sentence: 'A unix socket to listen on instead of an address and a port.',
    inherited: ['socket'],
  },
  {
    key: 'socketPerm',
    flag: 'socket-perm',
    value: 'MODE',
    default: '0660',
    read: mode,
    sentence: 'The file mode of the socket, in octal.',
    inherited: ['socket-perm'],
  },
  {
    key: 'fileMode',
    flag: 'file-mode',
    value: 'MODE',
    otherwise: 'as in the settings, at first 0640 less the umask',
    read: fileMode,
    sentence:
      'The mode of new files, in octal; the umask takes nothing of it. A file that is replaced keeps its own.',
    inherited: ['file-mode', 'fileMode'],
  },
  {
    key: 'dirMode',
    flag: 'dir-mode',
    value: 'MODE',
    otherwise: 'as in the settings, at first 0750 less the umask',
    read: dirMode,
    sentence: 'The mode of new folders, in octal; the umask takes nothing of it.',
    inherited: ['dir-mode', 'dirMode'],
  },
  {
    key: 'username',
    flag: 'username',
    value: 'NAME',
    default: 'admin',
    read: text,
    sentence: 'The name of the first administrator; used at the first start only.',
    inherited: ['username'],
  },
  {
    key: 'password',
    flag: 'password',
    value: 'TEXT',
    otherwise: 'made up and printed once',
    read: text,
    sentence:
      'The password of the first administrator, or what coffer hash printed for it; used at the first start only.',
  },
  ...signInOptions,
  {
    key: 'tokenExpirationMs',
    flag: 'token-expiration',
    value: 'TIME',
    default: '2h',
    read: duration,
    sentence: 'How long a sign-in token lives before it must be renewed, such as 2h or 1h30m.',
    inherited: ['token-expiration-time'],
  },
  ...execOptions,
  ...previewOptions,
  {
    key: 'trustedProxy',
    flag: 'trusted-proxy',
    value: 'LIST',
    default: '',
    otherwise: 'none',
    read: ranges,
    sentence: 'Addresses or ranges of proxies whose X-Forwarded headers are believed, separated by commas.',
  },
  ...limitOptions,
]

/** Returns the environment variable of the option. */
export function variableOf(option: Option): string {
  return `COFFER_${option.flag.toUpperCase().replaceAll('-', '_')}`
}

/** Returns the option of a flag, a key or a variable without its prefix. Ignores case and dashes. Undefined: none. */
export function optionCalled(name: string): Option | undefined {
  const plainName = plain(name)
  return options.find(({ flag, inherited }) =>
    [flag, ...(inherited ?? [])].some((each) => plain(each) === plainName),
  )
}

/** Returns the option of File Browser's variable `FB_` + `name`. Undefined when none has the same meaning. */
export function inheritedOption(name: string): Option | undefined {
  return options.find(({ inherited }) => inherited?.some((each) => plain(each) === plain(name)))
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]/g, '')
}
