import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isRefused, openTarget } from './fixture.ts'

const target = await openTarget(t)
const { ask, row, raw } = target

const home = join(import.meta.dirname, '../..')
const read = (name: string) => JSON.parse(readFileSync(join(home, name), 'utf8'))

/** A package of the lock file, as npm writes it. */
interface Locked {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  inBundle?: boolean
  hasInstallScript?: boolean
}
const locked: [path: string, its: Locked][] = Object.entries(read('package-lock.json').packages)

/** Whether a version of three numbers is at least another one. */
function isAsNew(version: string, minimum: string): boolean {
  const [one, other] = [version, minimum].map((text) => text.split('.').map(Number))
  const at = [0, 1, 2].find((n) => one?.[n] !== other?.[n]) ?? 0
  return (one?.[at] ?? 0) >= (other?.[at] ?? 0)
}

row(
  'L04 CVE-2026-47219 the router reads long addresses quickly, and no header selects another route',
  async (t) => {
    for (const version of ['1.0.0', 'x', '*', '>=0', 'a'.repeat(5000)]) {
      const response = await ask('alice', 'GET', '/api/resources/', {
        headers: { 'accept-version': version },
      })
      t.equal(response.status, 200, version.slice(0, 10))
    }
    for (const path of [
      `/api/${'a/'.repeat(2000)}`,
      `/api/resources${'/-'.repeat(1500)}`,
      `/${'%2e'.repeat(2000)}`,
    ])
      isRefused(t, await ask('alice', 'GET', path), [200, 400, 404, 414])
    for (const [path, { version }] of locked) {
      if (path.endsWith('node_modules/find-my-way'))
        t.ok(isAsNew(version ?? '', '9.7.0'), `${path} ${version}`)
      if (path.endsWith('node_modules/fastify')) t.ok(isAsNew(version ?? '', '5.12.2'), `${path} ${version}`)
    }
  },
)

row('L05 unknown addresses get the same access checks and headers, however they are spelled', async (t) => {
  for (const path of [
    '/api/none',
    '/api/none/../settings',
    '/api//users',
    '/api/%00',
    '/api/users%2f1',
    '/api/;x',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await ask('', method, path)
      isRefused(t, response, [400, 401, 404, 405])
      t.equal(response.headers['x-content-type-options'], 'nosniff')
    }
  }
  for (const uri of [
    'http://[::1',
    'http://a:b@c/api/users',
    '//',
    '/\\api\\users',
    'urn:x',
    '/api/users#x',
    '/#',
  ]) {
    const said = await raw(t, `GET ${uri} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    t.match(said, /^HTTP\/1\.1 (200|400|401|404) /, uri)
    t.notMatch(said, /"username"/)
  }
})

row('L06 dependencies are pinned, checked by hash and from one registry', async (t) => {
  const { dependencies, devDependencies, optionalDependencies } = read('package.json')
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
  }))
    t.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} is pinned`)
  for (const [path, { integrity, resolved, link, inBundle }] of locked) {
    if (path === '' || link) continue
    if (!integrity && !inBundle) t.fail(`${path} is not checked`)
    if (resolved && new URL(resolved).host !== 'registry.npmjs.org')
      t.fail(`${path} comes from another registry`)
  }
  // No install script is run. A package that adds one has to be reviewed first.
  const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)
  t.strictSame(scripted, ['node_modules/esbuild'], 'it works without its install script')
  t.match(readFileSync(join(home, 'scripts/install.mjs'), 'utf8'), "['ci', '--ignore-scripts', ")
  const own = Object.keys(read('package.json').scripts).filter((name) => /install|prepare|publish/.test(name))
  t.strictSame(own, [])
  // The page and the program use bundled code only: nothing is loaded from other hosts at run time.
  const page = String((await ask('', 'GET', '/')).headers['content-security-policy'])
  t.notMatch(page, /https?:|\*/)
})
