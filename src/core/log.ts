import pino, { type LoggerOptions, type Logger as PinoLogger } from 'pino'
import { entryOf } from './lookup.ts'
import { StartupProblem } from './problem.ts'

/** The logger that Fastify and the services write to. */
export type Logger = PinoLogger

/** The target of the log and the format of its lines. `target` is the value of the option `--log`. */
export interface LogOptions {
  /** `stdout`, `stderr`, a file path, or empty for no log. */
  readonly target: string
  readonly format: 'text' | 'json'
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
 * and appended to. It is opened again on SIGUSR2, which `logrotate` sends after it has moved the file. Tokens and
 * tickets are redacted.
 *
 * @throws StartupProblem when the file cannot be opened.
 */
export function createLog({ target, format }: LogOptions): Logger {
  if (target === '') return pino({ level: 'silent' })
  const output = open(target)
  const shape = format === 'json' ? (line: string) => line : textLine
  return pino(settings, { write: (line) => output.write(shape(withoutSecrets(line))) })
}

// At most this many bytes of lines wait in memory while the disk is full. Further lines are lost.
const maxWaitingBytes = 1024 * 1024

function open(target: string) {
  try {
    const dest = entryOf({ stdout: 1, stderr: 2 }, target) ?? target
    const output = pino.destination({
      dest,
      append: true,
      mode: 0o600,
      sync: true,
      maxLength: maxWaitingBytes,
    })
    let hasFailed = false
    // Keeps serving when the disk of the log is full or its pipe is closed.
    output.on('error', () => {
      hasFailed = true
    })
    if (dest === target) process.on('SIGUSR2', () => output.reopen())
    return {
      write(line: string) {
        // When the buffer is full, the library drops a new line before it tries the disk again. An empty write makes it
        // try first.
        if (hasFailed) {
          hasFailed = false
          output.write('')
        }
        output.write(line)
      },
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupProblem(`The log ${target} cannot be written (${code}): set --log to another file.`, {
      cause: error,
    })
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
  const { time, level, msg = '', err, ...rest } = JSON.parse(line)
  const pairs = Object.entries(rest).flatMap(([key, value]) => pairsOf(key, value))
  const head = `${time} ${String(level).toUpperCase().padEnd(5)} ${printable(msg)}`
  const stack = err ? `\n    ${String(err.stack ?? err.message).replaceAll('\n', '\n    ')}` : ''
  return `${[head, ...pairs].join(' ')}${stack}\n`
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
