import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { page } from '#web/shared/page.ts'
import { currentAddress } from '#web/shared/paths.ts'

/**
 * The address of an email to the administrator about an error. It opens in the user's mail program, so nothing is sent
 * without their consent. It contains what is needed to find the error in the log, but no query, which may contain a
 * search, and no file name. Undefined if the instance disables external links.
 */
export function reportAddress(error: string): string | undefined {
  if (page.DisableExternal) return undefined
  const subject = i18n._(msg`A problem with ${page.Name}`)
  const [pathname = ''] = currentAddress().split(/[?]/)
  const [, kind = ''] = pathname.split('/')
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
