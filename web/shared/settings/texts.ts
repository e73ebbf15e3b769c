import { useLingui } from '@lingui/react/macro'
import { globalFields, globalSections, hookFields } from './global-texts.ts'
import { keptFields } from './kept-texts.ts'
import { noticeFields, noticeSections } from './notice-texts.ts'
import { auditFields, otherSections } from './other-texts.ts'
import { profileFields, profileSections } from './profile-texts.ts'
import type { FieldText, SectionText } from './setting-text.ts'
import { ruleFields, userFields, userSections } from './user-texts.ts'

const ownSections = {
  ...{ ...profileSections, ...globalSections, ...userSections },
  ...{ ...otherSections, ...noticeSections },
}
const ownFields = {
  ...{ ...profileFields, ...globalFields, ...hookFields, ...keptFields },
  ...{ ...userFields, ...ruleFields, ...auditFields, ...noticeFields },
}

export type SectionName = keyof typeof ownSections
export type FieldName = keyof typeof ownFields

/** All sections of the settings, by name. */
export const sections: Record<SectionName, SectionText> = ownSections
/** All fields of the settings, by name. */
export const fields: Record<FieldName, FieldText> = ownFields

/** The texts of the settings, as properties of cards and fields. The search finds an element by its `data-setting`. */
export function useSettingTexts() {
  const { i18n } = useLingui()
  return {
    /** The properties of a field. */
    field: (name: FieldName) => {
      const { label, help } = fields[name]
      return { label: i18n._(label), help: help && i18n._(help), 'data-setting': name }
    },
    /** The properties of a card. */
    card: (name: SectionName) => ({ title: i18n._(sections[name].title), 'data-setting': name }),
    /** The properties of a group of fields. */
    group: (name: SectionName) => ({ label: i18n._(sections[name].title), 'data-setting': name }),
  }
}
