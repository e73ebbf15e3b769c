import { entryOf } from '#src/core/lookup.ts'
import type { Records } from '#src/core/storage/records.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import { removeTempFile } from '#src/files/writing/temp-file.ts'
import type { SessionRecord, SessionStore } from '#src/state/sessions.ts'
import type { State } from '#src/state/state.ts'
import type { UploadRecord } from '#src/uploads/pending-uploads.ts'
import { parseJson, unusable } from '../archive/manifest.ts'
import { jsonContent } from '../archive/write-backup.ts'
import type { Part } from './part.ts'

const fileName = 'sessions.json'
const mostSessions = 100_000

interface Note {
  sessions: SessionRecord[]
  /** The ids that belong to another user after the restore. */
  replacedUsers: number[]
}

/**
 * The sessions. They are in a backup on request. A restore ends the present ones, and the unfinished uploads of users
 * whose id belongs to another user afterwards.
 */
export function createSessionsPart({
  sessionRecords,
  uploadRecords,
}: {
  sessionRecords: SessionStore
  uploadRecords: Records<UploadRecord>
}): Part {
  function parseSessions(bytes: Buffer): SessionRecord[] {
    const given = parseJson(bytes, fileName)
    const isValid =
      Array.isArray(given) && given.length <= mostSessions && given.every(sessionRecords.accepts)
    if (!isValid) throw unusable(`${fileName} is damaged`)
    return given
  }

  async function endUploads(userIds: readonly number[]): Promise<void> {
    for (const { id, userId, folder, part } of uploadRecords.all()) {
      if (!userIds.includes(userId)) continue
      await uploadRecords.remove(id)
      await removeTempFile(folder, part).catch(() => {}) // without the disk, only a hidden file is left
    }
  }

  return {
    limit: { files: 1, each: 64 * 1024 ** 2, all: 64 * 1024 ** 2 },
    isName: (name) => name === fileName,

    async collect({ sessions }) {
      return { contents: sessions ? [jsonContent(fileName, await sessionRecords.list())] : [] }
    },

    async check({ files: [file], options, before, after }) {
      if (options.sessions && !file) throw unusable('it contains no sessions: restore it without --sessions')
      const given = options.sessions && file ? parseSessions(await file.read()) : []
      const sessions = given.filter(({ userId }) => entryOf(after.users, userId) !== undefined)
      return {
        note: { sessions, replacedUsers: replacedUsers(before, after) } satisfies Note,
        summary: { restored: sessions.length, ended: (await sessionRecords.list()).length },
        lines: [
          options.sessions ? `sessions that continue: ${sessions.length}` : 'all users must sign in again',
        ],
      }
    },

    async finish(note) {
      const { sessions, replacedUsers } = note as Note
      const kept = new Set(sessions.map(({ id }) => id))
      for (const { id } of await sessionRecords.list()) if (!kept.has(id)) await sessionRecords.remove(id)
      for (const session of sessions) await sessionRecords.put(session)
      await endUploads(replacedUsers)
    },
  }
}

/** The ids of present users that do not exist afterwards, or belong to a user with another name. */
function replacedUsers(before: Readonly<State>, after: Readonly<State>): number[] {
  const isReplaced = ({ id, username }: State['users'][string]) => {
    const next = entryOf(after.users, id)
    return !next || userNameKey(next.username) !== userNameKey(username)
  }
  return Object.values(before.users)
    .filter(isReplaced)
    .map(({ id }) => id)
}
