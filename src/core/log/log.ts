import pino, { type LoggerOptions, type Logger as PinoLogger } from 'pino'
import { StartupProblem } from '#src/core/problem.ts'
import { entryOf } from '../lookup.ts'
import { openLogFile, type Rotation } from './log-file.ts'

/** The logger that Fastify and the services write to. */
export type Logger = PinoLogger

/** The log of the server: a logger, and the operations on its target. */
export type Log = Logger & {
  /** Writes the line of one response. Faster than `info`, because there is one for each request. */
  answered(entry: Answered): void
  /** Opens the file of the log again, after another program has moved it. */
  reopen(): void
}

/** The fields of the line of a response, in their order. Undefined fields are left out. */
export interface Answered {
  readonly method: string
  readonly url: string
  readonly status: number
  /** Milliseconds from the first byte of the request to the last byte of the response. */
  readonly ms: number
  /** Bytes sent, with the headers. */
  readonly bytes: number | undefined
  /** Whether the connection closed before the whole response was sent. */
  readonly aborted: true | undefined
  readonly user: string | undefined
  readonly address: string
  /** The id of the request, which is also in the header `X-Request-Id`. */
  readonly request: string
}

/** The target of the log and the format of its lines. `target` is the value of the option `--log`. */
export interface LogOptions {
  /** `stdout`, `stderr`, a file path, or empty for no log. */
  readonly target: string
  readonly format: 'text' | 'json'
  /** Undefined: a file grows without limit. */
  readonly rotation?: Rotation | undefined
  /** Called with each line that is written. */
  readonly onLine?: (line: string) => void
}

const settings: LoggerOptions = {
  base: null,
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: { level: (level) => ({ level }) },
  // Headers contain tokens and cookies, so that logging them is not worth the risk.
  redact: { paths: ['headers', 'rawHeaders', '*.headers', '*.rawHeaders'], remove: true },
  serializers: {
    err: pino.stdSerializers.err,
    req: ({ method, url, ip }) => ({ method, url: shortened(url), address: ip }),
    url: shortened,
    res: ({ statusCode }) => ({ status: statusCode }),
  },
}

/**
 * Opens the log. Writes each line whole and immediately, so that a crash loses none. A file is created with mode 0600
 * and appended to. Tokens and tickets are redacted.
 *
 * @throws StartupProblem when the file cannot be opened.
 */
export function createLog({ target, format, rotation, onLine }: LogOptions): Log {
  if (target === '') return Object.assign(pino({ level: 'silent' }), { answered() {}, reopen() {} })
  const output = open(target, rotation, (errno) =>
    logger.error({ errno }, 'the log file cannot be replaced; the old one stays in use'),
  )
  const isText = format === 'text'
  const write = (line: string) => {
    const text = escaped(withoutSecrets(line))
    output.write(text)
    onLine?.(text)
  }
  const logger = Object.assign(pino(settings, { write: (line) => write(isText ? textLine(line) : line) }), {
    answered(entry: Answered) {
      const line = {
        level: 'info',
        time: new Date().toISOString(),
        ...entry,
        url: shortened(entry.url),
        msg: 'answered',
      }
      write(isText ? textOf(line) : `${JSON.stringify(line)}\n`)
    },
    reopen: output.reopen,
  })
  return logger
}

/** Where lines are written. */
interface Output {
  write(line: string): void
  reopen(): void
}

const noRotation: Rotation = { maxSize: Number.POSITIVE_INFINITY, keep: 0, maxAgeMs: 0 }

function open(target: string, rotation = noRotation, onFault: (errno: string) => void): Output {
  const stream = entryOf({ stdout: 1, stderr: 2 }, target)
  if (stream !== undefined) return openStream(stream)
  try {
    return openLogFile(target, rotation, onFault)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupProblem(`The log ${target} cannot be written (${code}): set --log to another file.`, {
      cause: error,
    })
  }
}

// At most this many bytes of lines wait in memory while a pipe does not take them. Further lines are lost.
const maxWaitingBytes = 1024 * 1024

function openStream(dest: number): Output {
  const output = pino.destination({ dest, sync: true, maxLength: maxWaitingBytes })
  let hasFailed = false
  // Keeps serving when the pipe is closed, or the disk of a redirected output is full.
  output.on('error', () => {
    hasFailed = true
  })
  return {
    write(line) {
      // When the buffer is full, the library drops a new line before it tries the disk again. An empty write makes it
      // try first.
      if (hasFailed) {
        hasFailed = false
        output.write('')
      }
      output.write(line)
    },
    reopen() {},
  }
}

// Secret parameters of a query: a token or ticket, the token of a share with a password, and the password of a new
// share.
const secretNames = ['auth', 'token', 'password'].map(encodedPattern).join('|')

/** A secret parameter. Its name may be percent-encoded. Characters that JSON escapes are part of the value. */
const parameters = new RegExp(`([?&](?:${secretNames})=)(?:[^&\\s"\\\\#]|\\\\.)*`, 'gi')

/** Returns a pattern for a name, with each letter plain or percent-encoded. */
function encodedPattern(name: string): string {
  return [...name].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join('')
}

/**
 * Redacts every token, ticket and password in a log line: those in a query, and a signed three-part token anywhere.
 * Takes linear time, because one match covers each character.
 */
export function withoutSecrets(line: string): string {
  const rest = line.replace(parameters, '$1[redacted]')
  // A part of a token is JSON in base64url and therefore begins with these three letters.
  return rest.includes('eyJ') ? rest.replace(/[\w.-]+/g, withoutTokens) : rest
}

/** @param run a longest run of characters that may be in a token */
function withoutTokens(run: string): string {
  const parts = run.split('.')
  // Searches within words too: in JSON, the letter of `\n` may precede the token. The following parts may belong to the
  // token.
  const at = parts.findIndex((part, at) => /eyJ[\w-]/.test(part) && parts[at + 1] && parts[at + 2])
  if (at < 0) return run
  const head = parts[at] ?? ''
  return [...parts.slice(0, at), `${head.slice(0, head.indexOf('eyJ'))}[redacted]`].join('.')
}

// Truncates logged URLs, so that attackers cannot fill the disk or hide text in a long line.
const maxUrlLength = 2048

/** Truncates a URL. Redacts secrets first, because a truncated secret would not be recognized. */
function shortened(address: unknown): unknown {
  const isLong = typeof address === 'string' && address.length > maxUrlLength
  return isLong ? `${withoutSecrets(address).slice(0, maxUrlLength)}…` : address
}

/** Turns a JSON line into a readable one: time, level, message, then the rest as `key=value`. */
export function textLine(line: string): string {
  return textOf(JSON.parse(line))
}

/** The fields of a line. */
type Fields = Readonly<Record<string, unknown>> & { err?: { stack?: unknown; message?: unknown } }

function textOf({ time, level, msg = '', err, ...rest }: Fields): string {
  const pairs = Object.entries(rest).flatMap(([key, value]) =>
    value === undefined ? [] : pairsOf(key, value),
  )
  const head = `${time} ${String(level).toUpperCase().padEnd(5)} ${printable(String(msg))}`
  return `${[head, ...pairs].join(' ')}${err ? stackOf(err) : ''}\n`
}

/**
 * The lines of an error. They may contain text from outside, such as the output of a program. The bar at their beginning
 * keeps them from looking like lines of the log, which programs such as fail2ban act on.
 */
function stackOf({ stack, message }: { stack?: unknown; message?: unknown }): string {
  const lines = String(stack ?? message).split('\n')
  return lines.map((line) => `\n    | ${printable(line)}`).join('')
}

function pairsOf(key: string, value: unknown): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([inner, each]) => pairsOf(inner, each))
  }
  const text = printable(String(value))
  return [`${key}=${/[\s"=]/.test(text) ? JSON.stringify(text) : text}`]
}

/** Escapes control characters, so that names from users cannot start a new line or move the cursor of a terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern must match control characters
  return text.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`)
}

/** Escapes the control characters and line separators that JSON leaves as they are. Some programs act on them. */
function escaped(line: string): string {
  return line.replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
