import pino, { type LoggerOptions, type Logger as PinoLogger } from 'pino'
import { entryOf } from './lookup.ts'
import { StartupProblem } from './problem.ts'

/** What Fastify and our services write to. */
export type Logger = PinoLogger

/** Where the log goes and how a line looks; `target` as in the option `--log`. */
export interface LogChoice {
  /** `stdout`, `stderr`, a file path, or empty for silence. */
  readonly target: string
  readonly format: 'text' | 'json'
}

const settings: LoggerOptions = {
  base: null,
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: { level: (level) => ({ level }) },
  // Headers carry tokens and cookies; nothing in them is worth that risk.
  redact: { paths: ['headers', 'rawHeaders', '*.headers', '*.rawHeaders'], remove: true },
  serializers: {
    err: pino.stdSerializers.err,
    req: ({ method, url, ip }) => ({ method, url: shortened(url), address: ip }),
    url: shortened,
    res: ({ statusCode }) => ({ status: statusCode }),
  },
}

/**
 * Opens the log. Each line is written whole and at once, so that a crash loses none. A file is appended to, made with mode
 * 0600, and opened anew on SIGUSR2, which `logrotate` sends after it has moved the file. Tokens and tickets never reach it.
 *
 * @throws StartupProblem when the file cannot be opened.
 */
export function createLog({ target, format }: LogChoice): Logger {
  if (target === '') return pino({ level: 'silent' })
  const output = open(target)
  const shape = format === 'json' ? (line: string) => line : textLine
  return pino(settings, { write: (line) => output.write(shape(withoutSecrets(line))) })
}

// So many bytes of lines wait in memory while the disk is full; further ones are lost.
const mostHeld = 1024 * 1024

function open(target: string) {
  try {
    const dest = entryOf({ stdout: 1, stderr: 2 }, target) ?? target
    const output = pino.destination({ dest, append: true, mode: 0o600, sync: true, maxLength: mostHeld })
    let hasFailed = false
    // A full disk or a closed pipe under the log is no reason to stop serving.
    output.on('error', () => {
      hasFailed = true
    })
    if (dest === target) process.on('SIGUSR2', () => output.reopen())
    return {
      write(line: string) {
        // With as many lines as may wait, the library drops a new one before it tries the disk again.
        if (hasFailed) {
          hasFailed = false
          output.write('')
        }
        output.write(line)
      },
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupProblem(`The log ${target} cannot be written (${code}): give another file with --log.`, {
      cause: error,
    })
  }
}

// What a query may carry: a token or ticket, what opened a link with a password, and the password of a new link.
const names = ['auth', 'token', 'password'].map(spelled).join('|')

/** Such a parameter; its name may be percent-encoded, and what JSON escapes is a part of the value. */
const parameters = new RegExp(`([?&](?:${names})=)(?:[^&\\s"\\\\#]|\\\\.)*`, 'gi')

/** A pattern for a name, each letter of it as it is or percent-encoded. */
function spelled(name: string): string {
  return [...name].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join('')
}

/**
 * A log line with every token, ticket and password in it struck out: those in a query, and a signed three-part token
 * wherever it stands. Takes linear time: each character is looked at by one match alone.
 */
export function withoutSecrets(line: string): string {
  const rest = line.replace(parameters, '$1[redacted]')
  // A part of a token is JSON in base64url, and so begins with these three.
  return rest.includes('eyJ') ? rest.replace(/[\w.-]+/g, withoutTokens) : rest
}

/** @param run a longest run of the characters that tokens are made of */
function withoutTokens(run: string): string {
  const parts = run.split('.')
  // Not only where a word begins: in JSON, the letter of `\n` may stand before it. What follows may be of the token too.
  const at = parts.findIndex((part, at) => /eyJ[\w-]/.test(part) && parts[at + 1] && parts[at + 2])
  if (at < 0) return run
  const head = parts[at] ?? ''
  return [...parts.slice(0, at), `${head.slice(0, head.indexOf('eyJ'))}[redacted]`].join('.')
}

// Who asks for more than this wants to fill the disk, or to hide in it.
const mostAddress = 2048

/** An address as far as it is worth a line; secrets go first, so that none is cut into something that looks like none. */
function shortened(address: unknown): unknown {
  const isLong = typeof address === 'string' && address.length > mostAddress
  return isLong ? `${withoutSecrets(address).slice(0, mostAddress)}…` : address
}

/** Turns one JSON line into one for people: time, level, message, then the rest as `key=value`. */
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
  const words = printable(String(value))
  return [`${key}=${/[\s"=]/.test(words) ? JSON.stringify(words) : words}`]
}

/** A name that someone chose must not make a second line or move the cursor of who reads the log. */
function printable(words: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return words.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`)
}
