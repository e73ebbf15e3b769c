import type { MessageDescriptor } from '@lingui/core'
import type { TokenUser } from '#contract/users.ts'

/** A card or group of fields of a page of the settings. */
export interface SectionText {
  /** The address of its page, without the base path. */
  to: string
  title: MessageDescriptor
  /** Whether this user has the section. Missing: everyone who may open the page. */
  isShown?(user: TokenUser): boolean
}

/** A field. Forms and the search in the settings show the same texts. */
export interface FieldText {
  /** The name of its section. */
  section: string
  label: MessageDescriptor
  /** What it does, and what to expect. Below the field, and searched, too. */
  help?: MessageDescriptor
  isShown?(): boolean
}
