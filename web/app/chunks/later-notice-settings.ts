// One chunk for the settings of notices: e-mail address and webhook of the user, and the mail server of the instance.
export { MailServerCard } from '#web/features/notices/settings/mail-server-card.tsx'
export { NoticeCards } from '#web/features/notices/settings/notice-cards.tsx'
