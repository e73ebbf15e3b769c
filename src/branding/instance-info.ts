import type { PageSettings } from '#contract/system.ts'
import type { Setup } from '#src/auth/setup.ts'
import type { Config } from '#src/config/config.ts'
import { version } from '#src/core/version.ts'
import type { Store } from '#src/state/store.ts'
import type { Branding } from './branding.ts'
import { createManifest } from './manifest.ts'
import { createPageSettings } from './page-settings.ts'

/** Creates the page settings and the web manifest from the current state. */
export function createInstanceInfo(options: {
  store: Store
  branding: Branding
  config: Pick<
    Config,
    | 'baseUrl'
    | 'enableExec'
    | 'execWithoutSandbox'
    | 'staticgen'
    | 'clamd'
    | 'clamdAll'
    | 'disableThumbnails'
    | 'disablePreviewResize'
    | 'recaptchaHost'
    | 'recaptchaKey'
  >
  authMethod: PageSettings['AuthMethod']
  setup: Pick<Setup, 'proposedName'> | undefined
}) {
  const { store, branding, config, authMethod } = options
  const { baseUrl, enableExec } = config
  const staticGen: PageSettings['StaticGen'] = config.staticgen ?? ''
  const scanner: PageSettings['Scanner'] = config.clamd ? (config.clamdAll ? 'all' : 'visitors') : ''
  const execSandbox = enableExec && !config.execWithoutSandbox
  const enabledPreviews = { thumbnails: !config.disableThumbnails, previews: !config.disablePreviewResize }
  const recaptcha = { host: config.recaptchaHost, key: config.recaptchaKey ?? '' }

  async function settings(): Promise<PageSettings> {
    const [hasStyle, hasLogo] = await Promise.all([branding.hasStyle(), branding.hasLogo()])
    const instance = {
      baseUrl,
      version,
      authMethod,
      enableExec,
      execSandbox,
      staticGen,
      scanner,
      hasStyle,
      hasLogo,
      recaptcha,
      enabledPreviews,
      setup: options.setup?.proposedName() ?? '',
    }
    return createPageSettings(await store.settings.get(), instance)
  }

  return {
    settings,
    /** The web manifest, which browsers need to install the page as an app. */
    manifest: async () => createManifest(await settings(), await branding.icons()),
    branded: branding.find,
  }
}
