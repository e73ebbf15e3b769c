import { type Fields, fieldsFrom } from './fields.ts'

/** Whether a user is of File Browser 1. */
export function isFirstUser(user: Fields): boolean {
  return ['filesystem', 'allowEdit', 'allowNew', 'allowCommands', 'allowPublish'].some((name) =>
    user.has(name),
  )
}

/**
 * Returns a user of version 1 with the fields of version 2: editing becomes renaming, changing and deleting, and everyone
 * may share and download, as File Browser itself converted them. Publishing exists in Coffer again.
 */
export function secondUser(user: Fields): Fields {
  const edits = user.flag('allowEdit')
  const perm = {
    admin: user.flag('admin'),
    execute: user.flag('allowCommands'),
    create: user.flag('allowNew'),
    rename: edits,
    modify: edits,
    delete: edits,
    share: true,
    download: true,
    publish: user.flag('allowPublish'),
  }
  return fieldsFrom(
    [
      ['id', user.whole('id')],
      ['username', user.text('username')],
      ['password', user.text('password')],
      ['scope', user.text(user.has('filesystem') ? 'filesystem' : 'scope')],
      ['locale', user.text('locale')],
      ['lockPassword', user.flag('lockPassword')],
      ['viewMode', user.text('viewMode')],
      ['commands', user.list('commands')],
      ['rules', user.list('rules')],
      ['perm', perm],
      // Kept only to report that it is dropped.
      ['css', user.text('css')],
    ],
    user.where,
  )
}

/**
 * Returns a share of version 1 with the fields of version 2.
 *
 * @param path path in the scope of the owner
 */
export function secondShare(share: Fields, userID: number, path: string): Fields {
  const expires = share.flag('expires') ? Math.floor(Date.parse(share.text('expireDate')) / 1000) : 0
  return fieldsFrom(
    [
      ['hash', share.text('hash')],
      ['path', path],
      ['userID', userID],
      // An unreadable date counts as over.
      ['expire', Number.isSafeInteger(expires) ? expires : 1],
    ],
    share.where,
  )
}
