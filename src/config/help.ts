import type { Option } from './options/option.ts'
import { options, variableOf } from './options/options.ts'

/** Returns the flags as a list for `coffer --help`. */
export function flagsHelp(): string {
  const rows = options.map(
    (option) => [flagText(option), `${option.description}${defaultText(option, '')}`] as const,
  )
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 2
  return rows.map(([flag, words]) => `  ${flag.padEnd(width)}${words}`).join('\n')
}

/** Returns the options as the table in the manual, in Markdown. */
export function optionsReference(): string {
  const rows = options.map((option) => {
    const flag = `${option.short ? `\`-${option.short}\` ` : ''}\`--${option.flag}${placeholder(option)}\``
    return `| ${flag} | \`${variableOf(option)}\` | ${option.description}${defaultText(option, '`')} |`
  })
  return ['| Flag | Variable | Description |', '|---|---|---|', ...rows].join('\n')
}

function flagText(option: Option): string {
  return `${option.short ? `-${option.short},` : '   '} --${option.flag}${placeholder(option)}`
}

function placeholder({ value }: Option): string {
  return value ? ` ${value}` : ''
}

/** Returns the default for the help text. A switch has none, because it is off by default. */
function defaultText({ value, default: text, defaultDescription: otherwise }: Option, quote: string): string {
  const words = otherwise ?? (value && `${quote}${text}${quote}`)
  return words && words !== 'none' ? ` (default: ${words})` : ''
}
