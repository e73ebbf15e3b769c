import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiProblem, type FailureCode } from './client.ts'

/** The sentence for every problem code. A new code without a sentence does not compile. */
const sentences: Record<FailureCode, MessageDescriptor> = {
  'network.lost': msg`Can't reach the server. Check your connection and try again.`,
  'network.aborted': msg`Canceled.`,
  'auth.required': msg`Please sign in.`,
  'auth.wrong': msg`Wrong credentials`,
  'auth.forbidden': msg`You don't have permissions to access this.`,
  'auth.host': msg`You don't have permissions to access this.`,
  'auth.unchecked': msg`Couldn't check that you're human. Try again in a moment.`,
  // `submitForm` asks for the password instead of showing this.
  'auth.proof': msg`Please sign in.`,
  'auth.limited': msg`Too many attempts. Wait a moment, then try again.`,
  'signup.off': msg`Sign-up is turned off here.`,
  'password.weak': msg`This password is too short.`,
  'password.common': msg`This password is too easy to guess.`,
  'password.locked': msg`An administrator has locked this password.`,
  'password.needed': msg`Please sign in.`,
  'password.current': msg`The current password is wrong.`,
  'user.exists': msg`Username already taken`,
  'user.name': msg`This username can't be used.`,
  'user.unknown': msg`This user doesn't exist.`,
  'user.last': msg`The last administrator can't be deleted or demoted.`,
  'session.unknown': msg`This session has already ended.`,
  'request.invalid': msg`The server didn't understand the request.`,
  'request.value': msg`That value isn't allowed.`,
  'request.unknown': msg`This location can't be reached.`,
  'request.method': msg`This can't be done here.`,
  'request.large': msg`This is too large for the server or a proxy in front of it.`,
  'request.type': msg`This type of content isn't accepted here.`,
  'request.limited': msg`Too many requests. Wait a moment, then try again.`,
  'request.slow': msg`The connection is too slow for this.`,
  'request.range': msg`This part of the file doesn't exist.`,
  'request.cut': msg`The connection was lost. Try again.`,
  'path.invalid': msg`This name can't be used here.`,
  'path.outside': msg`This is outside your folder.`,
  'path.forbidden': msg`A rule denies access to this.`,
  'path.denied': msg`The operating system denies access to this.`,
  'path.link': msg`This location can't be reached.`,
  'path.dangling': msg`This symbolic link is broken: its target no longer exists.`,
  'path.special': msg`This is neither a file nor a folder.`,
  'path.root': msg`This can't be done to your whole folder.`,
  'preview.type': msg`This image can't be made smaller.`,
  'preview.large': msg`This image is too large to be made smaller.`,
  'preview.broken': msg`This image can't be shown.`,
  'path.deep': msg`Folders can be nested up to 255 levels deep. Choose a higher folder.`,
  'path.inside': msg`A folder can't be moved or copied into itself.`,
  'path.file': msg`This is a file, not a folder.`,
  'path.subtitle': msg`These subtitles can't be shown.`,
  'path.unknown': msg`This location can't be reached.`,
  'path.folder': msg`A folder with this name already exists.`,
  'path.exists': msg`An item with this name already exists.`,
  'path.large': msg`This file is too large for the server's disk.`,
  'path.changed': msg`Someone else has changed this in the meantime.`,
  'path.busy': msg`Someone else is writing to this. Try again in a moment.`,
  'upload.unknown': msg`This location can't be reached.`,
  'upload.offset': msg`Someone else has changed this in the meantime.`,
  'share.unknown': msg`This link doesn't exist or has expired.`,
  'share.password': msg`This link needs a password.`,
  'share.right': msg`You don't have permission to share files.`,
  'share.download': msg`You don't have permission to download, so you can't share files.`,
  'share.many': msg`This can't be done here.`,
  'hook.before': msg`A command set up by an administrator refused this.`,
  'hook.name': msg`A command set up by an administrator can't take a name that isn't UTF-8.`,
  'hook.after': msg`Done, but a command that runs afterwards failed.`,
  'disk.silent': msg`The server is busy. Try again in a moment.`,
  'disk.full': msg`The server has no space left.`,
  'disk.quota': msg`The server's storage quota is used up.`,
  'disk.readonly': msg`The server's disk is read-only.`,
  'disk.unable': msg`This can't be done here.`,
  'disk.failed': msg`The server's disk reported an error. Ask an administrator to check it.`,
  'user.busy': msg`You have too many transfers in progress. Try again when one has finished.`,
  'server.stopping': msg`The server is shutting down. Try again in a moment.`,
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
