// Reads the output of `strace -f -y`.

/** A system call. Its result and its complete arguments are known from its end on. */
export interface SystemCall {
  name: string
  args: readonly string[]
  /** The returned number. Undefined: the call failed, or has not ended yet. */
  result?: number | undefined
  /** The path of the file that the call has opened. */
  opened?: string | undefined
}

/** The start or the end of a system call, in the order of the record. */
export interface CallEvent {
  at: 'start' | 'end'
  call: SystemCall
}

/** Splits a record into the starts and ends of its calls. */
export function* readCalls(record: string): Generator<CallEvent> {
  const running = new Map<string, { call: SystemCall; text: string }>()
  for (const line of record.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const begun = text.startsWith('<... ') ? running.get(thread) : undefined
    if (begun) yield { at: 'end', call: Object.assign(begun.call, parseCall(begun.text + restOf(text))) }
    if (!/^\w+\(/.test(text)) continue
    const call = parseCall(text.replace(unfinished, ''))
    yield { at: 'start', call }
    if (unfinished.test(text)) running.set(thread, { call, text: text.replace(unfinished, '') })
    else yield { at: 'end', call }
  }
}

// strace splits the line of a call when another thread does something before its end.
const unfinished = / *<unfinished \.\.\.>$/
const restOf = (text: string) => text.slice(text.indexOf('>') + 1)

function parseCall(text: string): SystemCall {
  const open = text.indexOf('(')
  const { args, end } = splitArguments(text, open + 1)
  const [, result, opened] = /^\s*= (\d+)(?:<(.*)>)?/.exec(text.slice(end)) ?? []
  return {
    name: text.slice(0, open),
    args,
    result: result === undefined ? undefined : Number(result),
    opened,
  }
}

// A string, a bracket, or a comma.
const tokens = /"(?:[^"\\]|\\.)*"|[()[\]{}<>,]/g

/** Splits arguments at the commas outside of strings and brackets. `end` is where the text after them starts. */
function splitArguments(text: string, start: number): { args: string[]; end: number } {
  const args: string[] = []
  let from = start
  let depth = 0
  tokens.lastIndex = start
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const [token] = found
    if ('([{<'.includes(token)) depth++
    else if (')]}>'.includes(token)) depth--
    if (depth < 0 || (depth === 0 && token === ',')) {
      args.push(text.slice(from, found.index).trim())
      from = found.index + 1
    }
    if (depth < 0) return { args, end: from }
  }
  return { args: [...args, text.slice(from).trim()], end: text.length }
}

const escapes: Record<string, number> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, '\\': 92 }

/** The bytes of a string in the record. It contains only the first bytes of a longer one. */
export function bytesOf(arg = ''): Buffer {
  const text = arg.slice(arg.indexOf('"') + 1, arg.lastIndexOf('"'))
  const bytes = Buffer.alloc(text.length)
  let length = 0
  for (const [, octal, letter, plain = ''] of text.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes[length++] = Number.parseInt(octal, 8)
    else if (letter !== undefined) bytes[length++] = escapes[letter] ?? 0
    else length += bytes.write(plain, length, 'latin1')
  }
  return bytes.subarray(0, length)
}

/** The number of a descriptor in the record. */
export function descriptorOf(arg = ''): number {
  return Number(/^\d+/.exec(arg)?.[0] ?? -1)
}

/** The text of a call for a message. */
export function describe({ name, args }: SystemCall): string {
  return `${name}(${args.map((arg) => (arg.length > 120 ? `${arg.slice(0, 120)}…` : arg)).join(', ')})`
}
