import type { StaticGen } from '#contract/publish.ts'
import { Problem } from '#src/core/problem.ts'
import { isWithin, normalizeSetting } from '#src/files/paths/user-path.ts'
import type { Fields } from '#src/import/reading/fields.ts'
import type { ReportWriter } from '#src/import/report/report.ts'
import { mergedSite, siteSettingsOf } from '#src/settings/site-settings.ts'
import type { Served } from './scopes.ts'

/** Returns the settings of the website, which only File Browser 1 had. Undefined: there are none, or they cannot be used. */
export function mapSite(given: Fields, served: Served, report: ReportWriter): StaticGen | undefined {
  for (const generator of ['hugo', 'jekyll'] as const) {
    const name = `staticgen_${generator}`
    if (!given.has(name)) continue
    const site = given.fields(name)
    try {
      const settings = mergedSite(generator, siteSettingsOf(generator, undefined), {
        Root: pathInRoot(site.text('Root'), served),
        Public: pathInRoot(site.text('Public'), served),
        Exe: site.text('Exe'),
        Args: [...site.texts('Args')],
        CleanPublic: site.flag('CleanPublic'),
      })
      report.note('setting', name, 'imported', `the website in ${settings.Root}`)
      report.flag('staticgen', generator)
      return settings
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      report.note('setting', name, 'dropped', error.message)
    }
  }
  return undefined
}

/** Version 1 stored paths of the disk. */
function pathInRoot(written: string, { root }: Served): string {
  const { path } = normalizeSetting(written.trim() || '/')
  return isWithin(path, root) && root !== '/' ? path.slice(root.length) || '/' : path
}
