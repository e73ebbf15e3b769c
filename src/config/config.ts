/** What one person, or one address, may take of the server. Infinity is no limit. */
export interface Limits {
  /** Wrong passwords for one name, or one share, from one address in five minutes. */
  readonly loginAttempts: number
  /** Requests a second from one address that nobody is signed in for. */
  readonly requestRate: number
  /** Requests a second of one user. */
  readonly userRate: number
  /** Connections at once. */
  readonly connections: number
  readonly uploadsPerUser: number
  readonly archivesPerUser: number
  /** Sockets that run a command. */
  readonly commandsPerUser: number
  /** Bytes of one uploaded file. */
  readonly maxUpload: number
  /** Bytes of a body that is no file. */
  readonly maxBody: number
  /** Bytes of the head of a request. */
  readonly maxHeader: number
  /** How long the head of a request, and a body that is no file, may take to come. */
  readonly requestTimeoutMs: number
  /** How long a client may stand still in the middle of a request or of an answer. */
  readonly idleTimeoutMs: number
  /** How long what is under way may take to finish when the program is told to stop. */
  readonly stopTimeoutMs: number
}

/** Everything a person may set at start, frozen. `src/config/options.ts` tells what each key means. */
export interface Config extends Limits {
  /** Absolute real path of the folder that is served. */
  readonly root: string
  readonly address: string
  readonly port: number
  /** Starts with a slash and does not end with one; empty at the root. */
  readonly baseUrl: string
  /** Absolute path of the state file. */
  readonly database: string
  /** `stdout`, `stderr`, a file path, or empty for silence. */
  readonly log: string
  readonly logFormat: 'text' | 'json'
  /** Paths of PEM files; both or neither. */
  readonly cert: string | undefined
  readonly key: string | undefined
  /** Path of a unix socket; excludes address, port, cert and key. */
  readonly socket: string | undefined
  /** File mode of the socket. */
  readonly socketPerm: number
  /** Permission bits of new files and folders; undefined: the settings say. */
  readonly fileMode: number | undefined
  readonly dirMode: number | undefined
  /** The first administrator; used once, when the state file is new. */
  readonly username: string
  /** Plain text or an argon2id hash; undefined: one is made up and printed once. */
  readonly password: string | undefined
  readonly noauth: boolean
  /** Header in which a trusted proxy names who asks, in lower case; undefined: people sign in with a password. */
  readonly authHeader: string | undefined
  /** The check that a person signs in: origin of the service, the key for the page and the secret. Both or no check. */
  readonly recaptchaHost: string
  readonly recaptchaKey: string | undefined
  readonly recaptchaSecret: string | undefined
  readonly tokenExpirationMs: number
  readonly enableExec: boolean
  /** Whether commands reach the network. */
  readonly execNetwork: boolean
  /** Bytes of address space of each process of a command. */
  readonly execMemory: number
  readonly execWithoutSandbox: boolean
  /** Undefined: `cache` inside the folder beside the state file. */
  readonly cacheDir: string | undefined
  readonly disableThumbnails: boolean
  readonly disablePreviewResize: boolean
  /** The file that some of this was read from; it may hold the first password. Undefined: none. */
  readonly configFile: string | undefined
  /** Addresses or CIDR ranges whose forwarding headers are believed. */
  readonly trustedProxy: readonly string[]
}
