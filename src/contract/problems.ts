/**
 * Every refusal the product can utter: its HTTP status and its cause in English, where `{name}` is filled from the
 * problem's details. Codes are public API: never reuse one. Statuses follow contract W3.
 */
export const problems = {
  'auth.required': { status: 401, cause: 'sign in first' },
  'auth.wrong': { status: 403, cause: 'wrong credentials' },
  'auth.forbidden': { status: 403, cause: 'you are not allowed to do this' },
  'auth.limited': { status: 429, cause: 'too many attempts; try again in {seconds} s' },
  'signup.off': { status: 405, cause: 'sign-up is off' },
  'password.weak': { status: 400, cause: 'password is too short, minimum length is {minimum}' },
  'password.common': { status: 400, cause: 'password is too easy to guess' },
  'password.locked': { status: 403, cause: 'this password is locked by an administrator' },
  'password.current': { status: 400, cause: 'the current password is wrong' },
  'user.exists': { status: 409, cause: 'the user name is taken' },
  'user.name': { status: 400, cause: 'this user name cannot be used' },
  'user.unknown': { status: 404, cause: 'no such user' },
  'session.unknown': { status: 404, cause: 'no such session' },
  'request.invalid': { status: 400, cause: '{field}: {reason}' },
  'request.value': { status: 422, cause: '{field} cannot be {value}' },
  'request.unknown': { status: 404, cause: 'no such call' },
  'request.method': { status: 405, cause: 'allowed: {allow}' },
  'request.large': { status: 413, cause: 'the body is larger than {limit} bytes' },
  'request.type': { status: 415, cause: 'this content type is not accepted here' },
  'request.range': { status: 416, cause: 'no such range' },
  'request.cut': { status: 400, cause: 'the body ended before its announced length' },
  'path.invalid': { status: 400, cause: 'this path cannot be a path here: {reason}' },
  'path.outside': { status: 403, cause: '{path} leads out of your folder' },
  'path.forbidden': { status: 403, cause: 'a rule denies {path}' },
  'path.denied': { status: 403, cause: 'the operating system denies {path}' },
  'path.special': { status: 403, cause: '{path} is not a file or a folder' },
  'path.root': { status: 403, cause: 'this cannot be done to your whole folder' },
  'path.inside': { status: 400, cause: '{path} cannot be put into itself' },
  'path.unknown': { status: 404, cause: '{path} does not exist' },
  'path.folder': { status: 405, cause: '{path} is a folder' },
  'path.exists': { status: 409, cause: '{path} exists' },
  'path.changed': { status: 412, cause: '{path} has changed since' },
  'path.busy': { status: 423, cause: '{path} is being written by someone else' },
  'disk.full': { status: 507, cause: 'no space left for {path}' },
  'server.busy': { status: 503, cause: 'too much at once; try again' },
  'server.failed': { status: 500, cause: 'the server failed; the log tells more' },
} as const satisfies Record<string, { status: number; cause: string }>

export type ProblemCode = keyof typeof problems
