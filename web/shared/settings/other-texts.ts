import { msg } from '@lingui/core/macro'
import { paths } from '#web/shared/paths.ts'
import type { FieldText, SectionText } from './setting-text.ts'

/** The sections of the pages that are lists. */
export const otherSections = {
  'links.list': { to: paths.links, title: msg`Shared links` },
  'held.list': { to: paths.held, title: msg`Held files` },
  'users.list': { to: paths.users, title: msg`Users` },
  'doctor.check': { to: paths.doctor, title: msg`Health check` },
  'doctor.connection': { to: paths.doctor, title: msg`Connection from this browser` },
  'doctor.server': { to: paths.doctor, title: msg`Server` },
  'doctor.report': { to: paths.doctor, title: msg`Report for the developers` },
  'audit.records': { to: paths.audit, title: msg`Audit log` },
} satisfies Record<string, SectionText>

const section = 'audit.records'

/** The filters of the audit log. */
export const auditFields = {
  'audit.user': { section, label: msg`Username` },
  'audit.path': { section, label: msg`Path, with everything below` },
  'audit.address': { section, label: msg`Address` },
  'audit.kind': { section, label: msg`Action` },
  'audit.outcome': { section, label: msg`Outcome` },
  'audit.period': { section, label: msg`Period` },
  'audit.from': { section, label: msg`From` },
  'audit.to': { section, label: msg`Until` },
} satisfies Record<string, FieldText>
