import type { MailSettings } from '#contract/notices/mail.ts'
import { errnoOf, Problem } from '#src/core/problem.ts'
import { oneLine } from '#src/core/text/one-line.ts'

/** How e-mails are sent. */
export interface MailServer extends MailSettings {
  /** Empty: there is none. */
  password: string
}

/** An e-mail in plain text. */
export interface Mail {
  /** One address, as `mailAddress` returns it. */
  to: string
  subject: string
  text: string
  /** The name of the sender. */
  name: string
  /** The same for all attempts, so that a receiver recognizes a repetition. */
  id: string
}

// A server that is reachable answers within seconds.
const waitMs = 10_000
/** All of it, for a server that sends a byte from time to time. */
const longestMs = 60_000
const longestSubject = 150

/**
 * Sends one e-mail. No text of a user becomes a header line, a command or an address.
 *
 * @throws Problem `mail.unreachable`, `mail.tls`, `mail.auth`, `mail.refused`; the cause has `isFinal` when another
 *   attempt would be refused too.
 */
export async function sendMail(server: MailServer, mail: Mail, stopping?: AbortSignal): Promise<void> {
  const { to, subject, text, name, id } = mail
  const { host, port, security, user, password, from } = server
  // Few instances send e-mails: the others do not load this.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user && { auth: { user, pass: password } }),
    connectionTimeout: waitMs,
    greetingTimeout: waitMs,
    socketTimeout: waitMs,
    dnsTimeout: waitMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from: { name: oneLine(name), address: from },
      to: { name: '', address: to },
      envelope: { from, to: [to] },
      subject: oneLine(subject, longestSubject),
      text,
      messageId: `<${id}@${from.split('@').at(-1)}>`,
      // RFC 3834 §5: no program answers this.
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      signal: AbortSignal.any([AbortSignal.timeout(longestMs), ...(stopping ? [stopping] : [])]),
    })
  } catch (error) {
    throw problemOf(error as MailError)
  } finally {
    transport.close()
  }
}

interface MailError extends Error {
  code?: string
  response?: string
  responseCode?: number
}

/** Whether the mail server has refused an e-mail for good (RFC 5321 §4.2.1: a code from 500). */
export function isFinalRefusal(error: unknown): boolean {
  const { code, cause } = error as Problem
  return code === 'mail.refused' && ((cause as MailError | undefined)?.responseCode ?? 0) >= 500
}

const codes = {
  'mail.auth': /^(EAUTH|ENOAUTH|EOAUTH2)$/,
  'mail.tls': /^(ETLS|EREQUIRETLS|ERR_TLS_\w+|ERR_SSL_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/,
  'mail.refused': /^(EENVELOPE|EMESSAGE|EMAXRECIPIENTS)$/,
} as const

/** What failed, with the answer of the server in one line. */
function problemOf(error: MailError): Problem {
  const code = errnoOf(error) ?? error.code ?? ''
  const reason = oneLine(error.response ?? error.message)
  const isTls = codes['mail.tls'].test(code) || /\b(certificate|tls|ssl)\b/i.test(error.message)
  const found = codes['mail.auth'].test(code)
    ? 'mail.auth'
    : codes['mail.refused'].test(code)
      ? 'mail.refused'
      : isTls
        ? 'mail.tls'
        : 'mail.unreachable'
  return new Problem(found, { reason }, { cause: error })
}
