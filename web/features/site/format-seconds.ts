import { i18n } from '@lingui/core'
import { regionalTag } from '#web/ui/format/region.ts'

/** Milliseconds as seconds in the language of the page: `0.4 seconds`, `12 seconds`. */
export function formatSeconds(ms: number): string {
  const maximumFractionDigits = ms < 9950 ? 1 : 0
  const options = { style: 'unit', unit: 'second', unitDisplay: 'long', maximumFractionDigits } as const
  return new Intl.NumberFormat(regionalTag(i18n.locale), options).format(ms / 1000)
}
