import type { Item } from '#contract/resources.ts'
import { takenMs } from '#web/shared/metadata/taken.ts'
import { stemLength } from '#web/shared/names/stem.ts'

/** The items that get new names. */
export type Renamed = Pick<Item, 'name' | 'path' | 'isDir' | 'modified' | 'type'>

/** How the names change. */
export interface NameRule {
  mode: 'replace' | 'number' | 'case' | 'date'
  find: string
  replacement: string
  isPattern: boolean
  matchesCase: boolean
  prefix: string
  start: number
  digits: number
  letters: 'lower' | 'upper' | 'title'
  date: 'taken' | 'modified'
  datePlace: 'before' | 'after'
  /** The rule also changes the file extension. */
  withEnding: boolean
}

/** The rule when the dialog opens. */
export const firstRule: NameRule = {
  mode: 'replace',
  find: '',
  replacement: '',
  isPattern: false,
  matchesCase: false,
  prefix: '',
  start: 1,
  digits: 2,
  letters: 'lower',
  date: 'modified',
  datePlace: 'before',
  withEnding: false,
}

/** Replaces text in a part of a name. */
export type Replace = (text: string) => string

/** What is known about items, by name. */
export type TakenByName = ReadonlyMap<string, { taken?: string }>

/** The new names of `items`, in their order. `replace` is that of the mode `replace`. */
export function newNames(
  items: readonly Renamed[],
  rule: NameRule,
  { replace, taken }: { replace: Replace; taken: TakenByName },
): string[] {
  return items.map((item, index) => {
    const length = rule.withEnding ? item.name.length : stemLength(item.name, item.isDir)
    const [stem, ending] = [item.name.slice(0, length), item.name.slice(length)]
    const name = `${changed(stem, { item, index, rule, replace, taken })}${ending}`
    return name === item.name ? name : name.trim()
  })
}

interface Place {
  item: Renamed
  index: number
  rule: NameRule
  replace: Replace
  taken: TakenByName
}

function changed(stem: string, { item, index, rule, replace, taken }: Place): string {
  if (rule.mode === 'replace') return replace(stem)
  if (rule.mode === 'case') return inLetters(stem, rule.letters)
  if (rule.mode === 'number') return `${rule.prefix}${String(rule.start + index).padStart(rule.digits, '0')}`
  const date = dateOf((rule.date === 'taken' ? takenOf(item, taken) : undefined) ?? Date.parse(item.modified))
  return rule.datePlace === 'before' ? `${date} ${stem}` : `${stem} ${date}`
}

function inLetters(text: string, letters: NameRule['letters']): string {
  if (letters === 'lower') return text.toLowerCase()
  if (letters === 'upper') return text.toUpperCase()
  return text.replace(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu, (word) => {
    const [first = '', ...rest] = word
    return first.toUpperCase() + rest.join('').toLowerCase()
  })
}

/** When an item was taken, in milliseconds; undefined if that is unknown. */
function takenOf({ name, type }: Renamed, taken: TakenByName): number | undefined {
  return takenMs(taken.get(name), type === 'video')
}

/** The names of the items that get the date of their last change, because no date taken is known. */
export function withoutTaken(items: readonly Renamed[], rule: NameRule, taken: TakenByName): Set<string> {
  if (rule.mode !== 'date' || rule.date !== 'taken') return new Set()
  return new Set(items.flatMap((item) => (takenOf(item, taken) === undefined ? item.name : [])))
}

/** The local day of a time: `2026-11-23`, which sorts by name. */
function dateOf(ms: number): string {
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
