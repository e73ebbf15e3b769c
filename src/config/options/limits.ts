import type { Limits } from '../config.ts'
import { count, positiveCount, size, sizeBetween, timeout } from './amounts.ts'
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
      'The maximum number of wrong passwords in five minutes for one user name, or one share, from one address. The limit is 5 times as high for all names from one address, and 10 times as high for one name from all addresses.',
  },
  {
    key: 'requestRate',
    flag: 'request-rate',
    value: 'NUMBER',
    default: '100',
    parser: count,
    description:
      'The maximum number of requests per second from one address without sign-in. A burst may have the requests of 20 seconds. 0 means no limit.',
  },
  {
    key: 'userRate',
    flag: 'user-rate',
    value: 'NUMBER',
    default: '0',
    parser: count,
    description:
      'The maximum number of requests per second of one signed-in user. A burst may have the requests of 20 seconds. 0 means no limit.',
  },
  {
    key: 'connections',
    flag: 'connections',
    value: 'NUMBER',
    default: '4096',
    parser: positiveCount,
    description:
      'The maximum number of concurrent connections; one address may use a quarter of them. Connections from a trusted proxy are counted by client.',
  },
  {
    key: 'uploadsPerUser',
    flag: 'uploads-per-user',
    value: 'NUMBER',
    default: '100',
    parser: count,
    description: 'The maximum number of concurrent uploads of one user; 0 means no limit.',
  },
  {
    key: 'archivesPerUser',
    flag: 'archives-per-user',
    value: 'NUMBER',
    default: '8',
    parser: positiveCount,
    description:
      'The maximum number of concurrent archive downloads of one user, or of one address that visits shares; 4 times as many for all together.',
  },
  {
    key: 'commandsPerUser',
    flag: 'commands-per-user',
    value: 'NUMBER',
    default: '4',
    parser: positiveCount,
    description:
      'The maximum number of concurrent commands of one user, each on its own WebSocket; 32 for all users together.',
  },
  {
    key: 'maxUpload',
    flag: 'max-upload',
    value: 'SIZE',
    default: '0',
    parser: size,
    description: 'The maximum size of one uploaded file, such as 500M or 2G; 0 means no limit.',
  },
  {
    key: 'maxBody',
    flag: 'max-body',
    value: 'SIZE',
    default: '1M',
    parser: sizeBetween(64 * 1024, 64 * 1024 ** 2, '64K to 64M'),
    description: 'The maximum size of a request body that is not an upload; 64K before sign-in.',
  },
  {
    key: 'maxHeader',
    flag: 'max-header',
    value: 'SIZE',
    default: '16K',
    parser: sizeBetween(8 * 1024, 1024 ** 2, '8K to 1M'),
    description: 'The maximum size of the URL and the headers of a request together.',
  },
  {
    key: 'requestTimeoutMs',
    flag: 'request-timeout',
    value: 'TIME',
    default: '60s',
    parser: timeout,
    description:
      'The maximum time to receive the headers of a request, and then a body that is not an upload.',
  },
  {
    key: 'idleTimeoutMs',
    flag: 'idle-timeout',
    value: 'TIME',
    default: '2m',
    parser: timeout,
    description: 'The maximum time in which a client neither sends nor receives data during a transfer.',
  },
  {
    key: 'stopTimeoutMs',
    flag: 'stop-timeout',
    value: 'TIME',
    default: '10s',
    parser: timeout,
    description:
      'How long running transfers may continue after Coffer receives a signal to stop; then they are aborted.',
  },
]

/** Returns the limits with their defaults. */
export function defaultLimits(): Limits {
  const values = limitOptions.map(({ key, parser: read, default: text = '' }) => [key, read.parse(text)])
  return Object.fromEntries(values) as Limits
}
