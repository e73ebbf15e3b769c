import type { I18n, MessageDescriptor } from '@lingui/core'
import type { TokenUser } from '#contract/users.ts'
import { paths } from '#web/shared/paths.ts'
import { fold } from '#web/ui/format/fold.ts'
import { settingsPages } from './pages.ts'
import { fields, type SectionName, sections } from './texts.ts'

/** A page, section or field of the settings. */
export interface FoundSetting {
  /** The name of the section or field, as in `data-setting`; the address for a page. */
  name: string
  /** The address of its page, without the base path. */
  to: string
  label: string
  /** The titles of its page and section, without those that the label repeats. */
  place: readonly string[]
  help: string
}

interface Sources {
  user: TokenUser
  i18n: Pick<I18n, '_'>
  /** The address of the shown page. The page of a user has the fields of a new user. */
  path: string
}

/** All that this user can find in the settings, in the order of the pages. */
export function allSettings({ user, i18n, path }: Sources): FoundSetting[] {
  const text = (message: MessageDescriptor | undefined) => (message ? i18n._(message) : '')
  return settingsPages(user.perm).flatMap((page) => {
    const title = text(page.label)
    const parts = Object.entries(sections).filter(
      ([, one]) => pageOf(one.to) === page.to && (one.isShown?.(user) ?? true),
    )
    const inside = parts.flatMap(([name, section]) => {
      const to = name.startsWith('user.') && isUser(path) ? path : section.to
      const heading = text(section.title)
      const own = fieldsIn(name as SectionName).map(([field, { label, help }]) => {
        const place = [...new Set([title, heading])].filter((one) => one !== text(label))
        return { name: field, to, label: text(label), place, help: text(help) }
      })
      const isRepeated = heading === title || own.some(({ label }) => label === heading)
      return isRepeated ? own : [{ name, to, label: heading, place: [title], help: '' }, ...own]
    })
    return [{ name: page.to, to: page.to, label: title, place: [], help: text(page.help) }, ...inside]
  })
}

/**
 * The settings that contain all words in their texts. The label counts more than the rest, and its start counts most.
 *
 * @param most the number of results
 */
export function findSettings(words: string, all: readonly FoundSetting[], most = 30): FoundSetting[] {
  const query = fold(words.trim())
  const parts = query.split(/\s+/).filter(Boolean)
  if (parts.length === 0) return []
  const scored = all.flatMap((one) => {
    const label = fold(one.label)
    const texts = `${label} ${fold(one.place.join(' '))} ${fold(one.help)}`
    if (!parts.every((part) => texts.includes(part))) return []
    const score = label.startsWith(query) ? 0 : label.includes(query) ? 1 : partIn(label, parts) ? 2 : 3
    return [{ one, score }]
  })
  // The sort is stable: equal ones stay in the order of the pages.
  return scored
    .toSorted((a, b) => a.score - b.score)
    .slice(0, most)
    .map(({ one }) => one)
}

function partIn(label: string, parts: readonly string[]): boolean {
  return parts.some((part) => label.includes(part))
}

function fieldsIn(section: SectionName) {
  return Object.entries(fields).filter(
    ([, field]) => field.section === section && (field.isShown?.() ?? true),
  )
}

/** The page in the list of pages to which an address belongs. */
function pageOf(to: string): string {
  return to === paths.newUser ? paths.users : to
}

/** Whether an address is the page of an existing user. */
function isUser(path: string): boolean {
  return path !== paths.newUser && path.startsWith(`${paths.users}/`)
}
