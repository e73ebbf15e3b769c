import type { Config } from '../config.ts'
import type { Parser } from './parsers.ts'

/** All options: the configuration, and the path of its file. */
export type Settings = Config & { readonly config: string | undefined }

/** One option, with a parser for the type of its value. */
export interface OptionOf<K extends keyof Settings> {
  readonly key: K
  /** Without dashes; also the key in a configuration file. */
  readonly flag: string
  /** The one-letter flag of File Browser. */
  readonly short?: string
  /** Name of the value in `--help`; a switch has none. */
  readonly value?: string
  /** Default as text. Undefined: no default. */
  readonly default?: string
  /** Description of the default, when it depends on something else. */
  readonly defaultDescription?: string
  readonly parser: Parser<NonNullable<Settings[K]>>
  readonly description: string
  /** Whether empty text is a valid value. For other options it means "not given". */
  readonly allowsEmpty?: true
  /**
   * Names of this option in File Browser, where it has the same meaning. The flag and the variable `FB_…` with these
   * names work.
   */
  readonly fileBrowserNames?: readonly string[]
}

export type Option = { [K in keyof Settings]: OptionOf<K> }[keyof Settings]
