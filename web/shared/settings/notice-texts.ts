import { msg } from '@lingui/core/macro'
import { paths } from '#web/shared/paths.ts'
import { mayShare } from '#web/shared/session.ts'
import type { FieldText, SectionText } from './setting-text.ts'

const [to, isShown] = [
  paths.profile,
  ({ perm }: Parameters<NonNullable<SectionText['isShown']>>[0]) => mayShare(perm),
]

/** How users are told what happens at their links, and the mail server of the instance. */
export const noticeSections = {
  'profile.mail': { to, title: msg`Notices by e-mail`, isShown },
  'profile.webhook': { to, title: msg`Webhook`, isShown },
  'global.mail': { to: paths.global, title: msg`Mail server` },
} satisfies Record<string, SectionText>

type NoticeText = FieldText & { section: keyof typeof noticeSections }

/** The fields of these sections. */
export const noticeFields = {
  'profile.mailAddress': {
    section: 'profile.mail',
    label: msg`E-mail address`,
    help: msg`You get a code first, so that nothing is sent to a wrong address.`,
  },
  'profile.hookUrl': {
    section: 'profile.webhook',
    label: msg`Address of the webhook`,
    help: msg`A program of yours, which gets a POST request with JSON. It must be on the Internet, unless an administrator allows others.`,
  },
  'profile.hookOn': {
    section: 'profile.webhook',
    label: msg`Send notices to this address`,
    help: msg`Each link says whether its notices are sent.`,
  },
  'global.mailHost': {
    section: 'global.mail',
    label: msg`Server`,
    help: msg`A name or an address, such as smtp.example.com. Empty: this server sends no e-mails.`,
  },
  'global.mailSecurity': {
    section: 'global.mail',
    label: msg`Encryption`,
    help: msg`Ask the provider of the mail server which one it uses.`,
  },
  'global.mailPort': {
    section: 'global.mail',
    label: msg`Port`,
    help: msg`Usually 465 with TLS, 587 with STARTTLS.`,
  },
  'global.mailUser': {
    section: 'global.mail',
    label: msg`Username`,
    help: msg`Empty: the mail server needs no sign-in.`,
  },
  'global.mailPassword': { section: 'global.mail', label: msg`Password` },
  'global.mailFrom': {
    section: 'global.mail',
    label: msg`Sender`,
    help: msg`The e-mail address from which all messages come.`,
  },
  'global.mailUrl': {
    section: 'global.mail',
    label: msg`Address of this page`,
    help: msg`For links in e-mails, such as https://files.example.com. Empty: e-mails have no links.`,
  },
  'global.mailTest': {
    section: 'global.mail',
    label: msg`Send a test message to`,
    help: msg`With the settings that are saved.`,
  },
} satisfies Record<string, NoticeText>
