import { sizeBetween } from './amounts.ts'
import type { Option } from './option.ts'
import { booleanSwitch } from './parsers.ts'

/** Options for commands of users. */
export const execOptions: readonly Option[] = [
  {
    key: 'enableExec',
    flag: 'enable-exec',
    default: 'false',
    parser: booleanSwitch,
    description:
      'Allows the command feature: users with the right to execute may run the programs listed for them, in a sandbox (Linux, ' +
      'with bubblewrap or util-linux) that shows their own folder and the programs of the system, read-only, and ends them ' +
      'with the page. A command has at most 10 minutes, 256 processes, 1024 open files in each, 4 GiB in one file and 64 MiB ' +
      'in /tmp. Commands that an administrator binds to events run outside the sandbox.',
  },
  {
    key: 'execNetwork',
    flag: 'exec-network',
    default: 'false',
    parser: booleanSwitch,
    description: 'Lets commands reach the network, and with it every port of this machine.',
  },
  {
    key: 'execMemory',
    flag: 'exec-memory',
    value: 'SIZE',
    default: '2G',
    parser: sizeBetween(64 * 1024 ** 2, 1024 ** 4, '64M to 1T'),
    description: 'The address space of each process of a command.',
  },
  {
    key: 'execWithoutSandbox',
    flag: 'exec-without-sandbox',
    default: 'false',
    parser: booleanSwitch,
    description:
      'Dangerous: runs commands with all rights of the server, where they read and change what rules deny, the files of ' +
      'others and the passwords of Coffer. Without it, --enable-exec refuses to start where no sandbox can be made.',
  },
]
