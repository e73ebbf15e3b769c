import { count, positiveCount, size, sizeBetween, timeout } from './amounts.ts'
import type { Limits } from './config.ts'
import type { OptionOf } from './option.ts'

type LimitOption = { [K in keyof Limits]: OptionOf<K> }[keyof Limits]

/** The limits, in the order of the help. */
export const limitOptions: readonly LimitOption[] = [
  {
    key: 'loginAttempts',
    flag: 'login-attempts',
    value: 'NUMBER',
    default: '10',
    parser: positiveCount,
    description:
      'Wrong passwords in five minutes for one name, or one link, from one address; 5 times as many for all names from one address, 10 times for a name from everywhere.',
  },
  {
    key: 'requestRate',
    flag: 'request-rate',
    value: 'NUMBER',
    default: '100',
    parser: count,
    description:
      'Calls a second from one address without a sign-in, those of 20 seconds also at once; 0 is no limit.',
  },
  {
    key: 'userRate',
    flag: 'user-rate',
    value: 'NUMBER',
    default: '0',
    parser: count,
    description: 'Calls a second of one signed-in user, those of 20 seconds also at once; 0 is no limit.',
  },
  {
    key: 'connections',
    flag: 'connections',
    value: 'NUMBER',
    default: '4096',
    parser: positiveCount,
    description:
      'Connections at once, a quarter of them from one address; those of a trusted proxy are counted by client.',
  },
  {
    key: 'uploadsPerUser',
    flag: 'uploads-per-user',
    value: 'NUMBER',
    default: '100',
    parser: count,
    description: 'Uploads of one user at once; 0 is no limit.',
  },
  {
    key: 'archivesPerUser',
    flag: 'archives-per-user',
    value: 'NUMBER',
    default: '8',
    parser: positiveCount,
    description:
      'Archives that one user, or one address through links, downloads at once; 4 times as many for all.',
  },
  {
    key: 'commandsPerUser',
    flag: 'commands-per-user',
    value: 'NUMBER',
    default: '4',
    parser: positiveCount,
    description: 'Commands of one user at once, each with a socket of its own; 32 for all.',
  },
  {
    key: 'maxUpload',
    flag: 'max-upload',
    value: 'SIZE',
    default: '0',
    parser: size,
    description: 'Size of one uploaded file, such as 500M or 2G; 0 is no limit.',
  },
  {
    key: 'maxBody',
    flag: 'max-body',
    value: 'SIZE',
    default: '1M',
    parser: sizeBetween(64 * 1024, 64 * 1024 ** 2, '64K to 64M'),
    description: 'Size of the body of a call that is not an upload; 64K before a sign-in.',
  },
  {
    key: 'maxHeader',
    flag: 'max-header',
    value: 'SIZE',
    default: '16K',
    parser: sizeBetween(8 * 1024, 1024 ** 2, '8K to 1M'),
    description: 'Size of the address and the headers of a request together.',
  },
  {
    key: 'requestTimeoutMs',
    flag: 'request-timeout',
    value: 'TIME',
    default: '60s',
    parser: timeout,
    description: 'How long the headers of a request may take to come, and then a body that is not an upload.',
  },
  {
    key: 'idleTimeoutMs',
    flag: 'idle-timeout',
    value: 'TIME',
    default: '2m',
    parser: timeout,
    description: 'How long a client may neither send nor take anything in the middle of a transfer.',
  },
  {
    key: 'stopTimeoutMs',
    flag: 'stop-timeout',
    value: 'TIME',
    default: '10s',
    parser: timeout,
    description: 'How long transfers may go on when Coffer is told to stop; then they are refused.',
  },
]

/** Returns the limits with their defaults. */
export function defaultLimits(): Limits {
  const values = limitOptions.map(({ key, parser: read, default: text = '' }) => [key, read.parse(text)])
  return Object.fromEntries(values) as Limits
}
