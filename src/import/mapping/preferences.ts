import { locales } from '#contract/schema/locales.ts'
import type { Preferences } from '#contract/users.ts'
import type { Fields } from '#src/import/reading/fields.ts'
import type { Tell } from './access.ts'

/** Languages of File Browser that have another name in Coffer. */
const otherNames = new Map([
  ['pt-pt', 'pt'],
  ['nl', 'nl-be'],
  ['sv', 'sv-se'],
  ['zh', 'zh-cn'],
])

/**
 * Returns the preferences of a user or of new users. A missing one has the value of File Browser before it had the
 * preference. The theme of a user exists only in Coffer.
 */
export function preferencesOf(given: Fields, tell: Tell): Preferences {
  const sorting = given.fields('sorting')
  return {
    locale: localeOf(given.text('locale'), tell),
    viewMode: oneOf(['list', 'mosaic', 'mosaic gallery'], given.text('viewMode'), {
      field: 'viewMode',
      tell,
    }),
    sorting: {
      by: oneOf(['name', 'size', 'modified'], sorting.text('by'), { field: 'sorting', tell }),
      asc: sorting.flag('asc'),
    },
    singleClick: given.flag('singleClick'),
    hideDotfiles: given.flag('hideDotfiles'),
    dateFormat: given.flag('dateFormat'),
    aceEditorTheme: editorThemeOf(given.text('aceEditorTheme'), tell),
    redirectAfterCopyMove: given.flag('redirectAfterCopyMove'),
    theme: '',
  }
}

function localeOf(written: string, tell: Tell): Preferences['locale'] {
  const name = written.toLowerCase().replace('_', '-')
  const locale = ['', ...locales].find((one) => one === (otherNames.get(name) ?? name))
  if (locale === undefined) {
    tell('changed', `Coffer has no translation for ${written}: the language of the browser is used`)
    return ''
  }
  if (locale !== written) tell('changed', `the language ${written} is ${locale} in Coffer`)
  return locale as Preferences['locale'] // found among the locales
}

/** The first of the values for empty text and for unknown text. */
function oneOf<const T extends string>(
  values: readonly [T, ...T[]],
  written: string,
  { field, tell }: { field: string; tell: Tell },
): T {
  const known = values.find((value) => value === written)
  if (known === undefined && written !== '')
    tell('changed', `${field} ${written} is unknown: it is now ${values[0]}`)
  return known ?? values[0]
}

function editorThemeOf(written: string, tell: Tell): string {
  if (written.length <= 64 && /^[\w./ -]*$/.test(written)) return written
  tell('dropped', `aceEditorTheme ${written.slice(0, 60)} is not the name of a theme`)
  return ''
}
