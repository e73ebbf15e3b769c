import { options } from '#src/config/options/options.ts'
import { entryNamed } from '../parsing/arguments.ts'
import { type Flag, flagsOf, type Subcommand } from '../parsing/subcommand.ts'

/** A command as the completion of a shell needs it. */
interface Completed {
  /** One word, or two such as `users add`. */
  name: string
  sentence: string
  flags: Readonly<Record<string, Flag>>
}

/**
 * The command that prints the completion script of a shell.
 *
 * @param all returns all subcommands, including this one
 */
export function completionCommand(all: () => Readonly<Record<string, Subcommand>>): Subcommand {
  return {
    usage: 'bash|zsh|fish',
    sentence: 'Prints a script that completes commands and flags in a shell.',
    words: [1, 1],
    run: async ({ words: [shell = ''] }, { print }) =>
      print(entryNamed(shells, shell, 'shell')(completed(all())).join('\n')),
  }
}

function completed(subcommands: Readonly<Record<string, Subcommand>>): Completed[] {
  const serveFlags = Object.fromEntries(
    options.map(({ flag, short, value, description }) => [
      flag,
      { description, ...(short && { short }), ...(value && { value }) },
    ]),
  )
  return Object.entries(subcommands).map(([name, each]) => ({
    name,
    sentence: each.sentence,
    flags: { ...(each.reads === 'options' && serveFlags), ...flagsOf(each) },
  }))
}

const shells: Record<string, (commands: readonly Completed[]) => string[]> = { bash, zsh, fish }

/** First words of the commands, and the second words of those that have two. */
function wordsOf(commands: readonly Completed[]): Map<string, Completed[]> {
  return Map.groupBy(commands, ({ name }) => name.split(' ')[0] ?? '')
}

const isGroup = (members: readonly Completed[]) => members.some(({ name }) => name.includes(' '))

const secondWord = ({ name }: Completed) => name.split(' ')[1] ?? ''

/** Text in single quotes, for any of the three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}

function bash(commands: readonly Completed[]): string[] {
  const groups = [...wordsOf(commands)]
  const flagsText = ({ flags }: Completed) =>
    Object.entries(flags).flatMap(([name, { short }]) => [`--${name}`, ...(short ? [`-${short}`] : [])])
  const reply = (words: readonly string[]) =>
    `mapfile -t COMPREPLY < <(compgen -W ${quoted(words.join(' '))} -- "$current")`
  return [
    '# Completion of coffer for bash: coffer completion bash > /etc/bash_completion.d/coffer',
    '_coffer() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: these are variables of bash
    '  local current=${COMP_WORDS[COMP_CWORD]} first=${COMP_WORDS[1]} second=${COMP_WORDS[2]-}',
    '  COMPREPLY=()',
    '  if ((COMP_CWORD == 1)) && [[ $current != -* ]]; then',
    `    ${reply([...groups.map(([first]) => first), 'help'])}`,
    '    return',
    '  fi',
    '  [[ $first == -* ]] && first=serve',
    '  if ((COMP_CWORD == 2)); then',
    '    case $first in',
    ...groups
      .filter(([, members]) => isGroup(members))
      .map(([first, members]) => `      ${first}) ${reply(members.map(secondWord))}; return ;;`),
    '    esac',
    '  fi',
    '  # Other words are names of files, which bash completes by itself.',
    '  [[ $current == -* ]] || return',
    '  case "$first $second" in',
    ...commands.map(
      (command) =>
        `    ${quoted(command.name)}${command.name.includes(' ') ? '' : `\\ *`}) ${reply(flagsText(command))} ;;`,
    ),
    '  esac',
    '}',
    'complete -o default -F _coffer coffer',
  ]
}

function zsh(commands: readonly Completed[]): string[] {
  const groups = [...wordsOf(commands)]
  const describe = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([word, text]) => quoted(`${word}:${text}`)).join(' ')
  const spec = ([name, { short, value, description }]: [string, Flag]) => {
    const text = description.replaceAll(/[[\]]/g, '').replaceAll(':', ' -')
    const rest = `[${text}]${value ? `:${value}:_files` : ''}`
    return [quoted(`--${name}${value ? '=' : ''}${rest}`), ...(short ? [quoted(`-${short}${rest}`)] : [])]
  }
  return [
    '#compdef coffer',
    '# Completion of coffer for zsh: coffer completion zsh > "${fpath[1]}/_coffer"',
    '_coffer() {',
    '  local -a entries',
    '  local first=$words[2] second=$words[3]',
    '  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then',
    `    entries=(${describe([...groups.map(([first, members]) => [first, groupText(members)] as const), ['help', 'Prints the help.']])})`,
    '    _describe command entries',
    '    return',
    '  fi',
    '  [[ $first == -* ]] && first=serve',
    '  if (( CURRENT == 3 )); then',
    '    case $first in',
    ...groups
      .filter(([, members]) => isGroup(members))
      .map(
        ([first, members]) =>
          `      ${first}) entries=(${describe(members.map((each) => [secondWord(each), each.sentence]))}); _describe command entries; return ;;`,
      ),
    '    esac',
    '  fi',
    '  case "$first $second" in',
    ...commands.map(
      (command) =>
        `    ${quoted(command.name)}${command.name.includes(' ') ? '' : '\\ *'}) _arguments ${Object.entries(command.flags).flatMap(spec).join(' ')} '*:file:_files' ;;`,
    ),
    '    *) _files ;;',
    '  esac',
    '}',
    '# The file may be in $fpath, or be sourced.',
    'if [[ $funcstack[1] == _coffer ]]; then _coffer "$@"; else compdef _coffer coffer; fi',
  ]
}

function fish(commands: readonly Completed[]): string[] {
  const groups = [...wordsOf(commands)]
  return [
    '# Completion of coffer for fish: coffer completion fish > ~/.config/fish/completions/coffer.fish',
    'function __coffer_begins',
    '  set -l words (commandline -opc)',
    '  set -e words[1]',
    '  for at in (seq (count $argv))',
    '    test "$words[$at]" = "$argv[$at]"; or return 1',
    '  end',
    'end',
    'function __coffer_count',
    '  test (count (commandline -opc)) -eq $argv[1]',
    'end',
    'function __coffer_serves',
    '  set -l words (commandline -opc)',
    '  test (count $words) -eq 1; or test "$words[2]" = serve; or string match -q -- "-*" "$words[2]"',
    'end',
    ...groups.map(
      ([first, members]) =>
        `complete -c coffer -f -n '__coffer_count 1' -a ${first} -d ${quoted(groupText(members))}`,
    ),
    ...groups.flatMap(([first, members]) =>
      isGroup(members)
        ? members.map(
            (each) =>
              `complete -c coffer -f -n '__coffer_count 2; and __coffer_begins ${first}' -a ${secondWord(each)} -d ${quoted(each.sentence)}`,
          )
        : [],
    ),
    ...commands.flatMap(({ name, flags }) =>
      Object.entries(flags).map(
        ([flag, { short, value, description }]) =>
          `complete -c coffer -n '${name === 'serve' ? '__coffer_serves' : `__coffer_begins ${name}`}' -l ${quoted(flag)}${short ? ` -s ${short}` : ''}${value ? ' -r' : ''} -d ${quoted(description)}`,
      ),
    ),
  ]
}

/** One sentence for a first word: the sentence of its command, or the second words of its group. */
function groupText(members: readonly Completed[]): string {
  if (isGroup(members)) return members.map(secondWord).join(', ')
  return members[0]?.sentence ?? ''
}
