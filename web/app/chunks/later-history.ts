// One chunk for what is recorded: versions and activity in the panel Info, the audit log, and its settings.
export { Activity } from '#web/features/audit/activity.tsx'
export { AuditCard } from '#web/features/audit/audit-card.tsx'
export { AuditLogPage } from '#web/features/audit/audit-page.tsx'
export { KeepingCard } from '#web/features/audit/keeping-card.tsx'
export { Versions } from '#web/features/versions/versions.tsx'
