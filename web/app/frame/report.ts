import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { page } from '#web/shared/page.ts'
import { currentAddress } from '#web/shared/paths.ts'

/**
 * The details of an error, to be sent to the administrator by the user. They contain what is needed to find the error
 * in the log, but no query, which may contain a search, and no file name.
 */
export function reportText(error: string): string {
  const [pathname = ''] = currentAddress().split(/[?]/)
  const [, kind = ''] = pathname.split('/')
  return [
    i18n._(msg`A problem with ${page.Name}`),
    '',
    error,
    `/${kind}`,
    new Date().toISOString(),
    `Coffer ${page.Version}`,
    navigator.userAgent,
  ].join('\n')
}
