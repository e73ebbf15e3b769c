import type { Config } from '#src/config/config.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { cleanEnvironment } from '#src/sandbox/environment.ts'
import { run } from '#src/sandbox/run.ts'
import type { Sandbox } from '#src/sandbox/sandbox.ts'
import { type ContentSources, createContentTools } from '#src/site/content-tools.ts'
import { createSite, type Site, type SiteOptions } from '#src/site/site.ts'
import { createGenerator } from '#src/site/website/generator.ts'

type SiteSources = Omit<SiteOptions, 'open' | 'save' | 'create' | 'generator' | 'baseUrl'> &
  ContentSources & { stores: Pick<KeptStores, 'foldersIn'> }

/** Creates the service of the website. Without `--staticgen` it refuses everything. */
export function createSiteOf(config: Config, sources: SiteSources, sandbox: Sandbox | undefined): Site {
  const { staticgen: kind, root: served, baseUrl } = config
  const { cacheFolder } = sources
  const env = cleanEnvironment()
  return createSite({
    ...sources,
    ...createContentTools(sources),
    generator:
      kind && createGenerator({ kind, sandbox, served, env, cacheFolder, stores: sources.stores, run }),
    baseUrl,
  })
}
