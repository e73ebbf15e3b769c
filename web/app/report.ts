import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { page } from '#web/shared/page.ts'
import { here } from '#web/shared/paths.ts'

/**
 * A letter about an error to whoever runs the instance, begun in the person's own mail program: nothing leaves the device
 * before they send it. What it says of the page is what is needed to find the error in the log; no query, which may hold a
 * search, and no name of a file. Undefined where the instance wants no links that lead out of it.
 */
export function reportAddress(error: string): string | undefined {
  if (page.DisableExternal) return undefined
  const subject = i18n._(msg`A problem with ${page.Name}`)
  const [place = ''] = here().split(/[?]/)
  const [, kind = ''] = place.split('/')
  const body = [
    error,
    '',
    `/${kind}`,
    new Date().toISOString(),
    `Coffer ${page.Version}`,
    navigator.userAgent,
  ]
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.join('\r\n'))}`
}
