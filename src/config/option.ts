import type { Config } from './config.ts'
import type { Parser } from './parsers.ts'

/** What a person may set: the configuration, and where to read more of it. */
export type Settings = Config & { readonly config: string | undefined }

/** One option, whose reading fits its value. */
export interface OptionOf<K extends keyof Settings> {
  readonly key: K
  /** Without dashes; also the key in a configuration file. */
  readonly flag: string
  /** The one-letter form that users of File Browser know. */
  readonly short?: string
  /** Name of the value in `--help`; a switch has none. */
  readonly value?: string
  /** Text that stands when nothing is given; undefined: nothing stands. */
  readonly default?: string
  /** What stands when nothing is given, in words, where it depends on something else. */
  readonly otherwise?: string
  readonly read: Parser<NonNullable<Settings[K]>>
  readonly sentence: string
  /** Empty text is a value of its own; everywhere else it means "not given". */
  readonly mayBeEmpty?: true
  /** File Browser has it with the same meaning: its spelling of the flag, and the variable `FB_…`, are understood. */
  readonly inherited?: readonly string[]
}

export type Option = { [K in keyof Settings]: OptionOf<K> }[keyof Settings]
