import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem, type FailureCode } from './client.ts'

/** The sentence for every problem code. A new code without a sentence does not compile. */
const sentences: Record<FailureCode, MessageDescriptor> = {
  'network.lost': msg`The server cannot be reached. Check your connection and try again.`,
  'network.aborted': msg`Cancelled.`,
  'auth.required': msg`Please sign in.`,
  'auth.wrong': msg`Wrong credentials`,
  'auth.forbidden': msg`You don't have permissions to access this.`,
  'auth.host': msg`You don't have permissions to access this.`,
  'auth.unchecked': msg`The check that you are a person cannot be reached. Try again in a moment.`,
  // `submitForm` asks for the password instead of showing this.
  'auth.proof': msg`Please sign in.`,
  'auth.limited': msg`Too many attempts. Wait a moment, then try again.`,
  'signup.off': msg`Sign-up is switched off here.`,
  'password.weak': msg`This password is too short.`,
  'password.common': msg`This password is too easy to guess.`,
  'password.locked': msg`An administrator has locked this password.`,
  'password.needed': msg`Please sign in.`,
  'password.current': msg`The current password is wrong.`,
  'user.exists': msg`Username already taken`,
  'user.name': msg`This user name cannot be used.`,
  'user.unknown': msg`There is no such user.`,
  'user.last': msg`The last administrator cannot be deleted or demoted.`,
  'session.unknown': msg`This session has already ended.`,
  'request.invalid': msg`The server did not understand the request.`,
  'request.value': msg`A value is not possible here.`,
  'request.unknown': msg`This location can't be reached.`,
  'request.method': msg`This cannot be done here.`,
  'request.large': msg`This is larger than the server or a proxy in front of it accepts.`,
  'request.type': msg`This kind of content is not accepted here.`,
  'request.limited': msg`Too many requests. Wait a moment, then try again.`,
  'request.slow': msg`The connection is too slow for this.`,
  'request.range': msg`This part of the file does not exist.`,
  'request.cut': msg`The connection broke off before everything had arrived.`,
  'path.invalid': msg`This name cannot be used here.`,
  'path.outside': msg`This leads out of your folder.`,
  'path.forbidden': msg`A rule denies access to this.`,
  'path.denied': msg`The operating system denies access to this.`,
  'path.link': msg`This location can't be reached.`,
  'path.dangling': msg`This link leads nowhere: its target no longer exists.`,
  'path.special': msg`This is neither a file nor a folder.`,
  'path.root': msg`This cannot be done to your whole folder.`,
  'preview.type': msg`This picture cannot be made smaller.`,
  'preview.large': msg`This picture is too large to be made smaller.`,
  'preview.broken': msg`This picture cannot be shown.`,
  'path.deep': msg`Folders can be nested at most 255 levels deep. Choose a place further up.`,
  'path.inside': msg`This cannot be put into itself.`,
  'path.file': msg`This is a file, not a folder.`,
  'path.subtitle': msg`These subtitles cannot be shown.`,
  'path.unknown': msg`This location can't be reached.`,
  'path.folder': msg`A folder is in the way.`,
  'path.exists': msg`Something with this name is already here.`,
  'path.large': msg`This file is too large for the disk of the server.`,
  'path.changed': msg`This has been changed by someone else meanwhile.`,
  'path.busy': msg`Someone else is writing this right now.`,
  'upload.unknown': msg`This location can't be reached.`,
  'upload.offset': msg`This has been changed by someone else meanwhile.`,
  'share.unknown': msg`This link does not exist or has ended.`,
  'share.password': msg`This link asks for a password.`,
  'share.right': msg`Your account does not have the right to share files.`,
  'share.download': msg`Your account cannot share files, because it does not have the right to download.`,
  'share.many': msg`This cannot be done here.`,
  'hook.before': msg`This was refused by a command of the administrator.`,
  'hook.name': msg`This was refused: a command of the administrator cannot be given a name that is not UTF-8.`,
  'hook.after': msg`This is done, but a command that follows it failed.`,
  'disk.silent': msg`The server is busy. Try again in a moment.`,
  'disk.full': msg`There is no space left on the server.`,
  'disk.quota': msg`The storage quota on the server is used up.`,
  'disk.readonly': msg`The disk of the server is read-only.`,
  'disk.unable': msg`This cannot be done here.`,
  'disk.failed': msg`The disk of the server reports an error. Ask an administrator to check it.`,
  'user.busy': msg`Too many of your transfers are under way. Try again when one has ended.`,
  'server.stopping': msg`The server is about to stop. Try again in a moment.`,
  'server.busy': msg`The server is busy. Try again in a moment.`,
  'server.failed': msg`Something really went wrong.`,
}

/** The code of any thrown value. Anything but an ApiProblem is a bug. */
export function codeOf(error: unknown): FailureCode {
  return error instanceof ApiProblem ? error.code : 'server.failed'
}

/** The sentence for `code`, as shown to the user. */
export function problemText(code: FailureCode): MessageDescriptor {
  // A newer server may send a code that this page does not know.
  return Object.hasOwn(sentences, code) ? sentences[code] : sentences['server.failed']
}
