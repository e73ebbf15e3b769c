import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'
import { locales } from '../src/contract/users.ts'

export default defineConfig({
  sourceLocale: 'en',
  locales: [...locales],
  fallbackLocales: { default: 'en' },
  catalogs: [{ path: '<rootDir>/{locale}', include: ['<rootDir>/../web'] }],
  format: formatter({ lineNumbers: false }),
})
