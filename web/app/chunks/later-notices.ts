// One chunk for the notices: the button in the sidebar, the panel, and what keeps them as they are on the server.
export { BellButton } from '#web/features/notices/bell-button.tsx'
export { followNotices } from '#web/features/notices/follow-notices.ts'
export { NoticesPanel } from '#web/features/notices/notices-panel.tsx'
