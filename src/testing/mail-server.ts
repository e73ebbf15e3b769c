import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'

/** An e-mail that the server got, with the addresses of its envelope. */
export interface ReceivedMail {
  from: string
  to: string[]
  /** The message as it was sent, with its lines of headers unfolded. */
  text: string
  isEncrypted: boolean
  user: string | undefined
}

/** The user name and the password of the mail server. */
export const mailAccount = { user: 'coffer', pass: 'mail-secret-7' }

/** Starts a mail server on this machine. Addresses that begin with `nobody` are refused. */
export async function receiveMail(t: Test, options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = []
  const state = { mails, port: 0, answer: undefined as Error | undefined }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      const isRight = username === mailAccount.user && password === mailAccount.pass
      if (isRight) done(null, { user: username })
      else done(Object.assign(new Error('wrong password'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _session, done) {
      if (state.answer) done(state.answer)
      else if (address.startsWith('nobody'))
        done(Object.assign(new Error('no such user'), { responseCode: 550 }))
      else done()
    },
    onData(stream, { envelope, secure, user }, done) {
      void buffer(stream).then((bytes) => {
        mails.push({
          from: (envelope.mailFrom || { address: '' }).address,
          to: envelope.rcptTo.map(({ address }) => address),
          text: unfolded(bytes.toString()),
          isEncrypted: secure,
          user: user as string | undefined,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // clients that break the connection
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  state.port = (listening.address() as AddressInfo).port
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)))
  return state
}

function unfolded(message: string): string {
  const end = message.indexOf('\r\n\r\n')
  return message.slice(0, end).replace(/\r\n[ \t]+/g, ' ') + message.slice(end)
}

/** The text of an e-mail, with its encoding removed. */
export function textOf({ text }: ReceivedMail): string {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
