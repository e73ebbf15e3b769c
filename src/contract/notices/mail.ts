import Type, { type Static } from 'typebox'
import { currentPassword } from '../schema/current-password.ts'
import { type Address, bodySizes, type Endpoint } from '../schema/endpoint.ts'
import { Shape } from '../schema/shape.ts'

/** How the instance sends e-mails. */
const fields = {
  /** The name or address of the SMTP server. Empty: e-mails are off. */
  host: Type.String({ maxLength: 253, pattern: '^[A-Za-z0-9._:-]*$' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  /** `tls`: from the first byte, usually port 465. `starttls`: required, usually port 587. `none`: not encrypted. */
  security: Type.Enum(['tls', 'starttls', 'none']),
  /** Empty: the server needs no sign-in. */
  user: Type.String({ maxLength: 256, pattern: '^[^\\0-\\x1f\\x7f]*$' }),
  /** The address of the sender. */
  from: Type.String({ maxLength: 254 }),
  /** The address of this instance, such as `https://files.example.com`, for links in e-mails. Empty: there are no links. */
  url: Type.String({ maxLength: 2048 }),
}

export const MailSettings = Shape(fields)
export type MailSettings = Static<typeof MailSettings>

export const MailSettingsView = Shape({ ...fields, hasPassword: Type.Boolean() })
export type MailSettingsView = Static<typeof MailSettingsView>

export const MailSettingsInput = Shape({
  ...fields,
  url: Type.Optional(fields.url),
  /** Missing: it stays. Empty: there is none. */
  password: Type.Optional(Type.String({ maxLength: 1024, pattern: '^[^\\0\\r\\n]*$' })),
  current_password: currentPassword,
})
export type MailSettingsInput = Static<typeof MailSettingsInput>

export const mail = {
  'GET /api/settings/mail': {
    access: 'admin',
    summary: 'Get how the instance sends e-mails',
    reply: MailSettingsView,
  },
  'PUT /api/settings/mail': {
    access: 'admin',
    changes: 'settings',
    records: 'always',
    proof: 'always',
    summary: 'Change how the instance sends e-mails',
    maxBodyBytes: bodySizes.small,
    body: MailSettingsInput,
    reply: MailSettingsView,
  },
  'POST /api/settings/mail/test': {
    access: 'admin',
    changesNothing: true,
    summary: 'Send a test e-mail with the stored settings',
    maxBodyBytes: bodySizes.small,
    body: Shape({ to: Type.String({ minLength: 1, maxLength: 254 }) }),
  },
} satisfies Record<Address, Endpoint>
