import { existsSync } from 'node:fs'
import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'
import { locales } from '../src/contract/schema/locales.ts'

export default defineConfig({
  sourceLocale: 'en',
  // A language is checked and bundled from the day its catalogue exists: an empty file is enough to begin one.
  locales: locales.filter((locale) => existsSync(`${import.meta.dirname}/${locale}.po`)),
  fallbackLocales: { default: 'en' },
  catalogs: [{ path: '<rootDir>/{locale}', include: ['<rootDir>/../web'] }],
  runtimeConfigModule: { Trans: ['#web/ui/trans.tsx', 'Trans'] },
  format: formatter({ lineNumbers: false }),
})
