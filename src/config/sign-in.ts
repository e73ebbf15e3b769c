import type { Option } from './option.ts'
import { booleanSwitch, headerName, origin, text } from './parsers.ts'

/** Options for signing in, in the order of the help. */
export const signInOptions: readonly Option[] = [
  {
    key: 'noauth',
    flag: 'noauth',
    default: 'false',
    parser: booleanSwitch,
    description: 'Lets everyone in as the first administrator, without a password.',
    fileBrowserNames: ['noauth'],
  },
  {
    key: 'authHeader',
    flag: 'auth-header',
    value: 'NAME',
    defaultDescription: 'none',
    parser: headerName,
    description:
      'Signs people in by the user name that a trusted proxy puts into this header, such as X-Remote-User, and by nothing else.',
  },
  {
    key: 'recaptchaKey',
    flag: 'recaptcha-key',
    value: 'TEXT',
    defaultDescription: 'none',
    parser: text,
    description: 'The site key of the check that a person signs in; needs --recaptcha-secret.',
  },
  {
    key: 'recaptchaSecret',
    flag: 'recaptcha-secret',
    value: 'TEXT',
    defaultDescription: 'none',
    parser: text,
    description:
      'The secret of that check; better in the environment or in a file, where other users cannot see it.',
  },
  {
    key: 'recaptchaHost',
    flag: 'recaptcha-host',
    value: 'ADDRESS',
    default: 'https://www.google.com',
    parser: origin,
    description: 'The service of that check, which answers /recaptcha/api.js and /recaptcha/api/siteverify.',
  },
]
