import { sizeBetween } from './amounts.ts'
import type { Option } from './option.ts'
import { booleanSwitch, siteGenerator } from './parsers.ts'

/** Options for commands of users. */
export const execOptions: readonly Option[] = [
  {
    key: 'enableExec',
    flag: 'enable-exec',
    default: 'false',
    parser: booleanSwitch,
    description:
      'Turns on commands: users with the execute permission may run the programs in their list. Each command runs in a sandbox ' +
      '(Linux, with bubblewrap or util-linux) that contains only the folder of the user and, read-only, the programs of the ' +
      'system. It stops when the page is closed. Limits of a command: 10 minutes, 256 processes, 1024 open files in each ' +
      'process, 4 GiB in one file, 64 MiB in /tmp. Commands that an administrator binds to events run outside the sandbox.',
  },
  {
    key: 'execNetwork',
    flag: 'exec-network',
    default: 'false',
    parser: booleanSwitch,
    description: 'Gives commands access to the network, including every port of this machine.',
  },
  {
    key: 'execMemory',
    flag: 'exec-memory',
    value: 'SIZE',
    default: '2G',
    parser: sizeBetween(64 * 1024 ** 2, 1024 ** 4, '64M to 1T'),
    description: 'The maximum address space of each process of a command.',
  },
  {
    key: 'execWithoutSandbox',
    flag: 'exec-without-sandbox',
    default: 'false',
    parser: booleanSwitch,
    description:
      'Dangerous: runs commands with all permissions of the server. They can read and change files that rules deny, files of ' +
      'other users and the passwords of Coffer. Without this option, --enable-exec refuses to start if no sandbox works.',
  },
  {
    key: 'staticgen',
    flag: 'staticgen',
    value: 'NAME',
    defaultDescription: 'none',
    parser: siteGenerator,
    description:
      'Turns on publishing: users with the publish permission edit, preview, schedule and publish the static site in the served ' +
      'folder. hugo or jekyll, which must be installed. The generator runs in a sandbox if one works, see --enable-exec.',
    fileBrowserNames: ['staticgen'],
  },
]
