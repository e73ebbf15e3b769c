import t from 'tap'
import { nearestName } from './nearest-name.ts'

t.test('a misspelt name is like the one that it differs least from', async (t) => {
  const known = ['ROOT', 'PORT', 'PASSWORD', 'AUTH_HEADER', 'TRUSTED_PROXY']
  for (const [given, name] of [
    ['PORT', 'PORT'],
    ['PROT', 'PORT'],
    ['ROOTS', 'ROOT'],
    ['PASWORD', 'PASSWORD'],
    ['PASSWROD', 'PASSWORD'],
    ['AUTHHEADER', 'AUTH_HEADER'],
    ['TRUSTED_PROXIES', 'TRUSTED_PROXY'],
    ['SOMETHING', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ] as const)
    t.equal(nearestName(given, known), name, given.slice(0, 20))
})
