// Tests the executable for ARM64 of a release in an emulator, and what a release writes besides executables.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { killAfter } from '#src/testing/kill-after.ts'
import { isLong } from '#src/testing/long.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { addons as allAddons } from '../scripts/build/addons.ts'
import { bundle } from '../scripts/build/bundle.ts'
import { debianPackages, libraries, unpackPackage } from '../scripts/image/debian.ts'
import { sha256Of, writeChecksums } from '../scripts/release/checksums.ts'
import { buildPlatform } from '../scripts/release/executables.ts'
import { fileOfPackage, lockedPackages } from '../scripts/release/npm-packages.ts'
import { executableName, type Platform, platforms } from '../scripts/release/platforms.ts'
import { sbom } from '../scripts/release/sbom.ts'
import { verifyExecutable } from '../scripts/release/verify.ts'

const run = promisify(execFile)
const password = 'correct horse battery'
const emulator = systemTool('qemu-aarch64-static')
const platformNamed = (name: string) => platforms.find((each) => each.name === name) as Platform

/** Why the executable for ARM64 cannot be built and started here. False: it can. */
async function obstacle(): Promise<string | false> {
  if (!isLong) return 'this takes a minute: npm run nightly does it'
  if (process.platform !== 'linux') return 'the emulator is only for Linux'
  try {
    execFileSync(emulator, ['--version'], { stdio: 'ignore' })
  } catch {
    return `${emulator} is missing: install qemu-user-static`
  }
  if (!existsSync('web/dist/meta.json')) return 'web/dist is missing: build it with npm run build'
  const { node, addons } = platformNamed('linux-arm64')
  try {
    for (const { package: name, file } of [node, ...addons]) await fileOfPackage(name, file, at('packages'))
    await debianPackages(libraries, 'arm64', { isCacheEnough: true })
    return false
  } catch (error) {
    return `what is needed cannot be downloaded: ${(error as Error).message}`
  }
}

const place = t.testdir({ packages: {}, root: {}, release: {}, files: { 'a b#?.txt': 'hello' } })
const at = (...names: string[]) => path.join(place, ...names)

t.test(
  'the executable for ARM64 starts, hashes a password, and serves files',
  { skip: await obstacle() },
  async (t) => {
    const packages = await debianPackages(libraries, 'arm64', { isCacheEnough: true })
    for (const each of packages) await unpackPackage(each, at('root'))
    const program = await buildPlatform(await bundle(), platformNamed('linux-arm64'), at('release'))
    const env = { QEMU_LD_PREFIX: at('root') }
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    t.equal((await run(emulator, [program, 'version'], { env })).stdout, `coffer ${version}\n`)
    t.notOk(
      readFileSync(program).includes(Buffer.from(path.resolve('.'))),
      'it names no folder of this machine',
    )
    await t.rejects(verifyExecutable(program, platformNamed('win-x64'), []), {
      message: /is for linux arm64, not for/,
    })

    const flags = ['--root', at('files'), '--port', '0', '--password', password]
    const child = spawn(emulator, [program, ...flags], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    killAfter(t, child)
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    let found: RegExpExecArray | null = null
    while (!found) {
      if (child.exitCode !== null) throw new Error(said)
      await setTimeout(50)
      found = /^Coffer serves .* at (\S+)\/$/m.exec(said)
    }
    const [, url] = found
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ username: 'admin', password })
    const login = await fetch(`${url}/api/login`, { method: 'POST', headers, body })
    t.equal(login.status, 200, 'the native add-on for this processor checks the password')
    const token = { 'X-Auth': await login.text() }
    const listing = await fetch(`${url}/api/resources/`, { headers: token })
    t.match(await listing.json(), { items: [{ name: 'a b#?.txt' }] })
    const noise = randomBytes(2_000_000)
    writeFileSync(at('files', 'noise.bin'), noise)
    const zip = await fetch(`${url}/api/raw/?algo=zip&files=/noise.bin`, { headers: token })
    const sum = Buffer.alloc(4)
    sum.writeUInt32LE(crc32(noise))
    t.ok(Buffer.from(await zip.arrayBuffer()).includes(sum), 'and its add-on computes checksums')
    child.kill('SIGTERM')
    t.strictSame(await once(child, 'close'), [0, null])
  },
)

t.test('the list of components has everything inside, with versions, licences and hashes', async (t) => {
  const locked = await lockedPackages()
  const packages = ['node_modules/fastify', 'node_modules/@node-rs/argon2', 'node_modules/pino']
  const input = {
    version: '1.2.3',
    packages,
    locked,
    versions: { node: '26.1.0', openssl: '3.5.0', modules: '1' },
  }
  const text = sbom(input)
  t.equal(sbom(input), text, 'two runs write the same bytes')
  const { components, dependencies, ...rest } = JSON.parse(text)
  t.match(rest, { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: /^urn:uuid:[\da-f-]{36}$/ })
  const { version } = locked.get('node_modules/@node-rs/argon2') ?? {}
  t.match(components, [
    {
      name: 'fastify',
      licenses: [{ expression: 'MIT' }],
      hashes: [{ alg: 'SHA-512', content: /^[\da-f]{128}$/ }],
    },
    { group: '@node-rs', name: 'argon2', purl: `pkg:npm/%40node-rs/argon2@${version}` },
    { name: 'pino' },
    { name: 'node', version: '26.1.0', components: [{ name: 'openssl', version: '3.5.0' }] },
  ])
  const refs = components.map((each: { 'bom-ref': string }) => each['bom-ref'])
  t.match(dependencies[0], { ref: 'coffer@1.2.3', dependsOn: refs })
  t.match(dependencies[1], { ref: refs[0], dependsOn: [refs[2]] }, 'fastify depends on pino')
})

t.test('package-lock.json has Node and the native add-ons for every platform', async (t) => {
  const locked = await lockedPackages()
  for (const { name, node, addons } of platforms) {
    t.equal(locked.get(`node_modules/${node.package}`)?.version, process.versions.node, name)
    t.strictSame(
      addons.map((addon) => addon.name),
      allAddons.map(({ name }) => name),
    )
    for (const addon of addons) {
      const inside = locked.get(`node_modules/${addon.package}`)?.version
      const module = allAddons.find((each) => each.name === addon.name)?.module
      t.equal(inside, locked.get(`node_modules/${module}`)?.version, `${name} ${addon.name}`)
    }
  }
  t.strictSame(
    platforms.map((platform) => executableName(platform, '1.2.3')),
    ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win-x64.exe'].map(
      (name) => `coffer-1.2.3-${name}`,
    ),
  )
})

t.test('sha256sum accepts the checksums of a release', async (t) => {
  const folder = t.testdir({ 'b.txt': 'b', a: 'a' })
  await writeChecksums(folder)
  await writeChecksums(folder)
  execFileSync(systemTool('sha256sum'), ['--check', '--strict', 'SHA256SUMS'], { cwd: folder })
  t.equal(readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').split('\n').length, 3)
  t.match(await sha256Of(path.join(folder, 'a')), /^ca978112ca1b/)
})

t.test('an executable for another system, or without its files, is not released', async (t) => {
  const folder = t.testdir({})
  mkdirSync(path.join(folder, 'x'))
  const file = path.join(folder, 'x', 'program')
  const header = Buffer.alloc(0x100)
  for (const [bytes, name] of [
    [[0x4d, 0x5a], 'no known system'],
    [[0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1], 'darwin arm64'],
    [[0x7f, 0x45, 0x4c, 0x46, 2], 'linux undefined'],
  ] as const) {
    writeFileSync(file, Buffer.concat([Buffer.from(bytes), header]))
    await t.rejects(verifyExecutable(file, platformNamed('win-x64'), []), { message: new RegExp(name) })
  }
  const { execPath } = process
  const own = platforms.find((each) => each.platform === process.platform && each.arch === process.arch)
  if (own)
    await t.rejects(verifyExecutable(execPath, own, []), { message: /does not read its embedded files/ })
})
