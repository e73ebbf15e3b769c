// One chunk for what is recorded: versions and activity in the panel Info.
export { Activity } from '#web/features/audit/activity.tsx'
export { Versions } from '#web/features/versions/versions.tsx'
