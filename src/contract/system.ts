import Type, { type Static } from 'typebox'
import { siteGenerators } from './publish.ts'
import type { Address, Endpoint } from './schema/endpoint.ts'
import { Shape } from './schema/shape.ts'
import { SharingPolicy } from './shares.ts'

/**
 * The settings that the page gets before sign-in (contract/README.md#page-settings,
 * contract/compatibility.md#branding).
 */
export const PageSettings = Shape({
  Name: Type.String(),
  DisableExternal: Type.Boolean(),
  DisableUsedPercentage: Type.Boolean(),
  /** Without a trailing slash; empty at the root. */
  BaseURL: Type.String(),
  StaticURL: Type.String(),
  Color: Type.String(),
  CSS: Type.Boolean(),
  /** Whether the instance has a logo of its own at `/static/img/logo.svg`. */
  Logo: Type.Boolean(),
  ReCaptcha: Type.Boolean(),
  ReCaptchaHost: Type.String(),
  ReCaptchaKey: Type.String(),
  Signup: Type.Boolean(),
  /** The proposed name of the first administrator, while there is none; empty: the server is set up. */
  Setup: Type.String(),
  /** The least number of characters of a new password. */
  MinimumPasswordLength: Type.Integer(),
  Version: Type.String(),
  NoAuth: Type.Boolean(),
  AuthMethod: Type.Enum(['json', 'proxy', 'noauth']),
  LoginPage: Type.Boolean(),
  HideLoginButton: Type.Boolean(),
  LogoutPage: Type.String(),
  Theme: Type.Enum(['', 'dark', 'light']),
  /** Whether an empty theme follows the device; otherwise it is light. */
  FollowDevice: Type.Boolean(),
  EnableExec: Type.Boolean(),
  /** Whether commands run in a sandbox; also false if commands are off. */
  ExecSandbox: Type.Boolean(),
  /** The generator of the website; empty: publishing is off. */
  StaticGen: Type.Enum(['', ...siteGenerators]),
  /** Whose files a virus scanner examines; empty: there is none. */
  Scanner: Type.Enum(['', 'visitors', 'all']),
  EnableThumbs: Type.Boolean(),
  ResizePreview: Type.Boolean(),
  /** Bytes and retries per chunk of an upload. */
  TusSettings: Shape({ chunkSize: Type.Integer(), retryCount: Type.Integer() }),
  Sharing: SharingPolicy,
})
export type PageSettings = Static<typeof PageSettings>

export const system = {
  'GET /health': {
    access: 'public',
    beforeSetup: true,
    summary: 'Check that the server is running',
    isUnlimited: true,
    reply: Shape({ status: Type.Literal('OK') }),
  },
  'GET /api/openapi.json': {
    access: 'public',
    beforeSetup: true,
    summary: 'Get this API description (OpenAPI)',
  },
  'GET /api/docs': {
    access: 'public',
    beforeSetup: true,
    summary: 'Get this API description as an HTML page',
  },
} satisfies Record<Address, Endpoint>
