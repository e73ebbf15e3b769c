import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'

// The keys are the English phrases that CodeMirror looks up.
const phrases = {
  Find: msg`Find`,
  Replace: msg`Replace with`,
  next: msg`Next match`,
  previous: msg`Previous match`,
  all: msg`Select matches`,
  'match case': msg`Match case`,
  'by word': msg`Whole words`,
  regexp: msg`Regular expression`,
  replace: msg`Replace`,
  'replace all': msg`Replace all`,
  close: msg`Close`,
  'current match': msg`Current match`,
  'replaced $ matches': msg`Replaced $ matches`,
  'replaced match on line $': msg`Replaced match on line $`,
  'on line': msg`on line`,
  'Go to line': msg`Go to line`,
  go: msg`Go`,
  'Control character': msg`Control character`,
  'Selection deleted': msg`Selection deleted`,
}

/** The texts of the editor panels and screen reader messages, in the user's language. */
export function editorPhrases(i18n: I18n): Record<string, string> {
  return Object.fromEntries(Object.entries(phrases).map(([key, message]) => [key, i18n._(message)]))
}
