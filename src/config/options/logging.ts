import { size, smallCount } from './amounts.ts'
import type { Option } from './option.ts'
import { format, loggedRequests, text } from './parsers.ts'

/** Options of the log. The defaults of the rotation are those of File Browser. */
export const logOptions: readonly Option[] = [
  {
    key: 'log',
    flag: 'log',
    short: 'l',
    value: 'TARGET',
    default: 'stdout',
    parser: text,
    description: 'The destination of the log: stdout, stderr or a file; empty means no log.',
    allowsEmpty: true,
    fileBrowserNames: ['log'],
  },
  {
    key: 'logFormat',
    flag: 'log-format',
    value: 'FORMAT',
    default: 'text',
    parser: format,
    description: 'The format of the log lines: text for reading, json for programs.',
  },
  {
    key: 'logRequests',
    flag: 'log-requests',
    value: 'WHICH',
    default: 'all',
    parser: loggedRequests,
    description:
      'The requests that get a line in the log: all, or errors for those with a status of 400 and higher.',
  },
  {
    key: 'logMaxSize',
    flag: 'log-max-size',
    value: 'SIZE',
    default: '100M',
    parser: size,
    description:
      'The size at which a log file is renamed to FILE.1 and a new one begins; 0 means never, for logrotate.',
  },
  {
    key: 'logKeep',
    flag: 'log-keep',
    value: 'NUMBER',
    default: '10',
    parser: smallCount,
    description: 'The maximum number of old log files: FILE.1 is the newest.',
  },
  {
    key: 'logMaxDays',
    flag: 'log-max-days',
    value: 'NUMBER',
    default: '14',
    parser: smallCount,
    description: 'The number of days after which an old log file is deleted.',
  },
]
