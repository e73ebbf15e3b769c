/** The context of a subcommand: the environment, the input and the two outputs. */
export interface Terminal {
  /** The command that starts this program again: the executable, or Node and a script. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadStream
  /** Prints one line of the result. */
  readonly print: (line: string) => void
  /** Whether a person reads the result. Undefined: it may be kept in a log. */
  readonly isTerminal?: boolean
  /** Prints one line of advice, separate from the result. */
  readonly warn: (line: string) => void
  /** Runs another command line in this process. */
  readonly runCommand: (argv: readonly string[]) => Promise<void>
}

/** The parsed arguments of a subcommand. */
export interface Arguments {
  /** Everything after the name of the subcommand, as written. */
  readonly all: readonly string[]
  /** The arguments that are not flags. */
  readonly words: readonly string[]
  /** Whether a switch is given. `--name=false` means that it is not. */
  has(flag: string): boolean
  /** The value of a switch: undefined if it is not given. */
  choice(flag: string): boolean | undefined
  /** The value of a flag. The last one counts. Undefined if the flag is not given. */
  value(flag: string): string | undefined
}

/** A flag of a subcommand. */
export interface Flag {
  /** One letter, for `-j`. */
  readonly short?: string
  /** The name of its value in the help. Undefined: a switch, which has no value. */
  readonly value?: string
  readonly description: string
}

/** The flags of a subcommand, by name without dashes. */
export type Flags = Readonly<Record<string, Flag>>

/** A subcommand of the program. Its name, of one word or two such as `users add`, is its key in the table. */
export interface Subcommand {
  /** The arguments after the name, as in the help: `NAME [PASSWORD]`. Missing: there are none. */
  readonly usage?: string
  /** One sentence for the help. */
  readonly sentence: string
  /** The minimum and the maximum number of arguments that are not flags. Missing: there are none. */
  readonly words?: readonly [least: number, most: number]
  readonly flags?: Flags
  /**
   * `state`: the command needs a state, and it also has the flags of `stateFlags`. `options`: it has the options of
   * `serve`, which it parses itself. Missing: it reads neither.
   */
  readonly reads?: 'state' | 'options'
  run(args: Arguments, terminal: Terminal): Promise<void>
}

/** The flags that say which state a command works on, for every command that needs one. */
export const stateFlags: Flags = {
  root: { short: 'r', value: 'FOLDER', description: 'The served folder.' },
  database: { short: 'd', value: 'FILE', description: 'The file that stores users and settings.' },
  config: { short: 'c', value: 'FILE', description: 'The file with the options of coffer serve.' },
}

/** The flag of commands that can print JSON. */
export const jsonFlag: Flags = { json: { description: 'Prints JSON.' } }

/** All flags of a subcommand except the options of `serve`. Its own short flags take precedence. */
export function flagsOf({ flags = {}, reads }: Pick<Subcommand, 'flags' | 'reads'>): Flags {
  if (reads !== 'state') return flags
  const taken = new Set(Object.values(flags).map(({ short }) => short))
  const inherited = Object.entries(stateFlags).map(([name, { short, ...flag }]) =>
    short === undefined || taken.has(short) ? [name, flag] : [name, { short, ...flag }],
  )
  return { ...Object.fromEntries(inherited), ...flags }
}
