import t from 'tap'
import { page } from '#web/shared/page.ts'
import { generatePassword } from './new-password.ts'

t.test('generates a password without similar characters, as long as the instance asks for', async (t) => {
  const before = page.MinimumPasswordLength
  t.teardown(() => {
    page.MinimumPasswordLength = before
  })
  t.match(generatePassword(), /^([a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}$/)
  t.not(generatePassword(), generatePassword())
  page.MinimumPasswordLength = 64
  t.ok(generatePassword().length >= 64)
})
