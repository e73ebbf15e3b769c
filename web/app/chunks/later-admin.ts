// One chunk for settings that only administrators see: the audit log, and cards of the global settings.
export { AuditCard } from '#web/features/audit/audit-card.tsx'
export { AuditLogPage } from '#web/features/audit/audit-page.tsx'
export { KeepingCard } from '#web/features/audit/keeping-card.tsx'
export { SharingCard } from '#web/features/shares/page/sharing-card.tsx'
export { WebsiteCard } from '#web/features/site/website-card.tsx'
