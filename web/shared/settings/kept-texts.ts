import { msg } from '@lingui/core/macro'
import type { FieldText } from './setting-text.ts'

/** The fields for the trash, versions and the audit log in the settings of the instance. */
export const keptFields = {
  'global.trash': {
    section: 'global.keeping',
    label: msg`Move deleted items to the trash`,
    help: msg`Deleted items can then be restored for a while.`,
  },
  'global.days': {
    section: 'global.keeping',
    label: msg`Days in the trash`,
    help: msg`After this time, items are deleted permanently.`,
  },
  'global.versions': {
    section: 'global.keeping',
    label: msg`Keep the old content of changed files as versions`,
    help: msg`Users can see and restore it in Info.`,
  },
  'global.versionSize': {
    section: 'global.keeping',
    label: msg`Largest file with versions, in MB (0: no limit)`,
    help: msg`The old content of larger files is not kept.`,
  },
  'global.withoutVersions': {
    section: 'global.keeping',
    label: msg`Folders without versions`,
    help: msg`One folder per line, relative to the served folder, for example /cache.`,
  },
  'global.share': {
    section: 'global.space',
    label: msg`Limit, % of each disk`,
    help: msg`For all users together. When it is used up, the oldest are deleted first.`,
  },
  'global.userShare': {
    section: 'global.space',
    label: msg`Limit per user, % of each disk`,
    help: msg`When a user has used it up, the oldest of this user are deleted first.`,
  },
  'global.auditDays': {
    section: 'global.audit',
    label: msg`Keep records for (days)`,
    help: msg`Older records are removed. The removal is recorded, too.`,
  },
  'global.auditMegabytes': {
    section: 'global.audit',
    label: msg`Maximum size of all records, in MB`,
    help: msg`When the records need more space, the oldest are removed first.`,
  },
  'global.auditDownloads': {
    section: 'global.audit',
    label: msg`Record downloads`,
    help: msg`Each visit of a link and each download takes about 400 bytes. Requests for parts of a file are one download.`,
  },
} satisfies Record<string, FieldText>
