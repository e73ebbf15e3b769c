import { type ClamdAddress, parseClamdAddress } from '#src/core/clamd/address.ts'
import type { Option } from './option.ts'
import { booleanSwitch, type Parser } from './parsers.ts'

const clamdAddress: Parser<ClamdAddress> = {
  parse: parseClamdAddress,
  expects: 'the path of a socket, such as /run/clamav/clamd.ctl, or host:port, such as 127.0.0.1:3310',
}

/** Options for examining files, in the order of the help. */
export const scannerOptions: readonly Option[] = [
  {
    key: 'clamd',
    flag: 'clamd',
    value: 'ADDRESS',
    defaultDescription: 'none',
    parser: clamdAddress,
    description:
      'The virus scanner clamd that examines the files which visitors of shares send: its socket (/run/clamav/clamd.ctl, also ' +
      'unix:/run/clamav/clamd.ctl) or its address (127.0.0.1:3310, [::1]:3310). A file becomes visible when it has passed.',
  },
  {
    key: 'clamdAll',
    flag: 'clamd-all',
    default: 'false',
    parser: booleanSwitch,
    description: 'Also examines the files that users upload and save; needs --clamd.',
  },
]
