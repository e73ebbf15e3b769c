import type { Option } from './option.ts'
import { booleanSwitch, headerName, origin, text } from './parsers.ts'

/** Options for signing in, in the order of the help. */
export const signInOptions: readonly Option[] = [
  {
    key: 'noauth',
    flag: 'noauth',
    default: 'false',
    parser: booleanSwitch,
    description: 'Signs everyone in as the first administrator, without a password.',
    fileBrowserNames: ['noauth'],
  },
  {
    key: 'authHeader',
    flag: 'auth-header',
    value: 'NAME',
    defaultDescription: 'none',
    parser: headerName,
    description:
      'Signs users in only by the user name that a trusted proxy sends in this header, such as X-Remote-User.',
  },
  {
    key: 'recaptchaKey',
    flag: 'recaptcha-key',
    value: 'TEXT',
    defaultDescription: 'none',
    parser: text,
    description: 'The site key of the captcha on the sign-in page; needs --recaptcha-secret.',
  },
  {
    key: 'recaptchaSecret',
    flag: 'recaptcha-secret',
    value: 'TEXT',
    defaultDescription: 'none',
    parser: text,
    description:
      'The secret of the captcha. Set it in the environment or in a file, where other users of this machine cannot see it.',
  },
  {
    key: 'recaptchaHost',
    flag: 'recaptcha-host',
    value: 'ADDRESS',
    default: 'https://www.google.com',
    parser: origin,
    description: 'The captcha service, which serves /recaptcha/api.js and /recaptcha/api/siteverify.',
  },
]
