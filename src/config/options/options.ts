import { execOptions } from './exec.ts'
import { limitOptions } from './limits.ts'
import { logOptions } from './logging.ts'
import type { Option } from './option.ts'
import { basePath, dirMode, duration, fileMode, hosts, mode, port, ranges, text } from './parsers.ts'
import { previewOptions } from './previews.ts'
import { scannerOptions } from './scanner.ts'
import { signInOptions } from './sign-in.ts'

/** Every option, in the order of the help. Parsing, `--help` and the manual use this table. */
export const options: readonly Option[] = [
  {
    key: 'root',
    flag: 'root',
    short: 'r',
    value: 'FOLDER',
    default: '.',
    parser: text,
    description: 'The folder to serve.',
    fileBrowserNames: ['root'],
  },
  {
    key: 'address',
    flag: 'address',
    short: 'a',
    value: 'ADDRESS',
    default: '127.0.0.1',
    parser: text,
    description: 'The address to listen on; 0.0.0.0 or :: means all addresses of this machine.',
    fileBrowserNames: ['address'],
  },
  {
    key: 'port',
    flag: 'port',
    short: 'p',
    value: 'NUMBER',
    default: '8080',
    parser: port,
    description: 'The port to listen on; 0 means any free port.',
    fileBrowserNames: ['port'],
  },
  {
    key: 'baseUrl',
    flag: 'baseurl',
    short: 'b',
    value: 'PATH',
    default: '',
    defaultDescription: 'none',
    parser: basePath,
    description: 'The URL path under which a proxy serves Coffer, such as /files.',
    fileBrowserNames: ['baseurl', 'base-url'],
  },
  {
    key: 'database',
    flag: 'database',
    short: 'd',
    value: 'FILE',
    defaultDescription: 'the path of the root with .coffer.json appended',
    parser: text,
    description: 'The file that stores users and settings.',
  },
  {
    key: 'config',
    flag: 'config',
    short: 'c',
    value: 'FILE',
    defaultDescription: 'none',
    parser: text,
    description:
      'A JSON, YAML or TOML file with these options; its keys are the flags without the leading dashes.',
  },
  ...logOptions,
  {
    key: 'cert',
    flag: 'cert',
    short: 't',
    value: 'FILE',
    defaultDescription: 'none',
    parser: text,
    description: 'The TLS certificate (PEM); needs --key.',
    fileBrowserNames: ['cert'],
  },
  {
    key: 'key',
    flag: 'key',
    short: 'k',
    value: 'FILE',
    defaultDescription: 'none',
    parser: text,
    description: 'The private key of the certificate (PEM); needs --cert.',
    fileBrowserNames: ['key'],
  },
  {
    key: 'socket',
    flag: 'socket',
    value: 'FILE',
    defaultDescription: 'none',
    parser: text,
    description: 'The Unix socket to listen on, instead of an address and a port.',
    fileBrowserNames: ['socket'],
  },
  {
    key: 'socketPerm',
    flag: 'socket-perm',
    value: 'MODE',
    default: '0660',
    parser: mode,
    description: 'The file mode of the socket, in octal.',
    fileBrowserNames: ['socket-perm'],
  },
  {
    key: 'fileMode',
    flag: 'file-mode',
    value: 'MODE',
    defaultDescription: 'as in the settings, initially 0640 minus the umask',
    parser: fileMode,
    description:
      'The file mode of new files, in octal; the umask does not apply. A replaced file keeps its mode.',
    fileBrowserNames: ['file-mode', 'fileMode'],
  },
  {
    key: 'dirMode',
    flag: 'dir-mode',
    value: 'MODE',
    defaultDescription: 'as in the settings, initially 0750 minus the umask',
    parser: dirMode,
    description: 'The file mode of new folders, in octal; the umask does not apply.',
    fileBrowserNames: ['dir-mode', 'dirMode'],
  },
  {
    key: 'username',
    flag: 'username',
    value: 'NAME',
    default: 'admin',
    parser: text,
    description: 'The user name of the first administrator; used only at the first start.',
    fileBrowserNames: ['username'],
  },
  {
    key: 'password',
    flag: 'password',
    value: 'TEXT',
    defaultDescription: 'in a terminal, generated and printed once; otherwise, chosen on the set-up page',
    parser: text,
    description:
      'The password of the first administrator, or its hash from coffer hash; used only at the first start.',
    fileBrowserNames: ['password'],
  },
  ...signInOptions,
  {
    key: 'tokenExpirationMs',
    flag: 'token-expiration',
    value: 'TIME',
    default: '2h',
    parser: duration,
    description: 'How long a token is valid before the client must renew it, such as 2h or 1h30m.',
    fileBrowserNames: ['token-expiration-time'],
  },
  ...execOptions,
  ...previewOptions,
  ...scannerOptions,
  {
    key: 'trustedProxy',
    flag: 'trusted-proxy',
    value: 'LIST',
    default: '',
    defaultDescription: 'none',
    parser: ranges,
    description:
      'IP addresses or ranges of proxies whose X-Forwarded headers are trusted, separated by commas.',
  },
  {
    key: 'webhookAllow',
    flag: 'webhook-allow',
    value: 'LIST',
    default: '',
    defaultDescription: 'only addresses on the Internet',
    parser: hosts,
    description:
      'Hosts, IP addresses or ranges to which the webhooks of users may lead besides the Internet, separated by commas, such as nas.lan,192.168.1.0/24.',
  },
  ...limitOptions,
]

/** Returns the environment variable of the option. */
export function variableOf(option: Option): string {
  return `COFFER_${option.flag.toUpperCase().replaceAll('-', '_')}`
}

/** Returns the option of a flag, a key or a variable without its prefix. Ignores case and dashes. Undefined: none. */
export function optionNamed(name: string): Option | undefined {
  const plainName = plain(name)
  return options.find(({ flag, fileBrowserNames: inherited }) =>
    [flag, ...(inherited ?? [])].some((each) => plain(each) === plainName),
  )
}

/** Returns the option of File Browser's variable `FB_` + `name`. Undefined when none has the same meaning. */
export function optionOfFileBrowser(name: string): Option | undefined {
  return options.find(({ fileBrowserNames: inherited }) =>
    inherited?.some((each) => plain(each) === plain(name)),
  )
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]/g, '')
}
