import type { SiteGenerator } from '#contract/publish.ts'
import type { ClamdAddress } from '#src/core/clamd/address.ts'

/** The limits of one user or one address. Infinity means no limit. */
export interface Limits {
  /** Wrong passwords in five minutes for one user name, or one share, from one address. */
  readonly loginAttempts: number
  /** Requests per second from one address without a signed-in user. */
  readonly requestRate: number
  /** Requests per second of one user. */
  readonly userRate: number
  /** Concurrent connections. */
  readonly connections: number
  readonly uploadsPerUser: number
  readonly archivesPerUser: number
  /** Sockets that run a command. */
  readonly commandsPerUser: number
  /** Bytes of one uploaded file. */
  readonly maxUpload: number
  /** Bytes of a request body that is not a file. */
  readonly maxBody: number
  /** Bytes of the head of a request. */
  readonly maxHeader: number
  /** Timeout for receiving the head of a request, and a body that is not a file. */
  readonly requestTimeoutMs: number
  /** Timeout for a client that sends or reads nothing in the middle of a request or response. */
  readonly idleTimeoutMs: number
  /** Time that running requests get to finish when the program stops. */
  readonly stopTimeoutMs: number
}

/** The configuration at start, frozen. `src/config/options/options.ts` explains each key. */
export interface Config extends Limits {
  /** Absolute real path of the root folder. */
  readonly root: string
  readonly address: string
  readonly port: number
  /** Starts with a slash and does not end with one; empty at the root. */
  readonly baseUrl: string
  /** Absolute path of the state file. */
  readonly database: string
  /** `stdout`, `stderr`, a file path, or empty for no log. */
  readonly log: string
  readonly logFormat: 'text' | 'json'
  /** The responses that are logged. `errors`: those with a status of 400 and higher. */
  readonly logRequests: 'all' | 'errors'
  /** Bytes at which a log file is replaced by a new one. Infinity: never. */
  readonly logMaxSize: number
  /** The number of old log files. */
  readonly logKeep: number
  /** Days after which an old log file is deleted. */
  readonly logMaxDays: number
  /** Paths of PEM files; both or neither. */
  readonly cert: string | undefined
  readonly key: string | undefined
  /** Path of a unix socket; excludes address, port, cert and key. */
  readonly socket: string | undefined
  /** File mode of the socket. */
  readonly socketPerm: number
  /** Permission bits of new files and folders. Undefined: as in the settings. */
  readonly fileMode: number | undefined
  readonly dirMode: number | undefined
  /** The first administrator. Used only when the state file is new. */
  readonly username: string
  /** Plain text or an argon2id hash. Undefined: a random password is printed once. */
  readonly password: string | undefined
  readonly noauth: boolean
  /** Header in which a trusted proxy sends the user name, in lower case. Undefined: users sign in with a password. */
  readonly authHeader: string | undefined
  /**
   * The captcha at sign-in: origin of the service, key for the page, and secret. Either both key and secret, or no
   * captcha.
   */
  readonly recaptchaHost: string
  readonly recaptchaKey: string | undefined
  readonly recaptchaSecret: string | undefined
  readonly tokenExpirationMs: number
  readonly enableExec: boolean
  /** Whether commands have access to the network. */
  readonly execNetwork: boolean
  /** Bytes of address space of each process of a command. */
  readonly execMemory: number
  readonly execWithoutSandbox: boolean
  /** The generator of the website that users publish. Undefined: publishing is off. */
  readonly staticgen: SiteGenerator | undefined
  /** Undefined: `cache` in the folder beside the state file. */
  readonly cacheDir: string | undefined
  readonly disableThumbnails: boolean
  readonly disablePreviewResize: boolean
  /** The configuration file, which may contain the first password. Undefined: none. */
  readonly configFile: string | undefined
  /** Where clamd examines files before they become visible. Undefined: nothing is examined. */
  readonly clamd: ClamdAddress | undefined
  /** Whether the files of everyone are examined, not only those of visitors of shares. */
  readonly clamdAll: boolean
  /** Addresses or CIDR ranges of proxies whose forwarding headers are trusted. */
  readonly trustedProxy: readonly string[]
  /** Hosts, addresses and CIDR ranges to which webhooks may lead, besides the Internet. */
  readonly webhookAllow: readonly string[]
}
