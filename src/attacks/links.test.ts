import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { systemTool } from '#src/testing/system-tool.ts'
import { dial, until } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'
import { zipEntries } from './unpack.ts'
import { canaries, pathsBelow } from './world.ts'

const target = await openTarget(t)
const { ask, row, rules, share, outside } = target
const alice = join(target.root, 'alice')

/** The headers of a resumable upload. */
const piece = {
  'upload-length': '1',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
}

const reads = [
  'resources',
  'resources/recursive',
  'raw',
  'preview/thumb',
  'subtitle',
  'usage',
  'search',
  'share',
]

/** Asserts that no file in alice's scope contains content from outside. */
function assertNothingCameIn(t: Test): void {
  const files = pathsBelow(alice).filter((path) => lstatSync(path).isFile())
  const leaked = files.filter((path) => readFileSync(path, 'latin1').includes(canaries.outside))
  t.strictSame(leaked, [], 'nothing from outside was copied in')
}

function plantLinks(folder: string): void {
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'lf'))
  symlinkSync(outside, join(folder, 'ld'))
  symlinkSync('../../outside', join(alice, `up-${folder.length}`))
  symlinkSync('../bob', join(alice, `side-${folder.length}`))
}

row('B01 CVE-2026-54094 a symbolic link that leaves the scope cannot be read through', async (t) => {
  plantLinks(alice)
  plantLinks(join(alice, 'docs'))
  const shareId = await share('/docs')
  const paths = ['/lf', '/ld', '/ld/', '/ld/secret.txt', '/ld/s.srt', '/docs/ld/deep/secret.txt', '/docs/lf']
  for (const path of paths) {
    for (const call of reads) isRefused(t, await ask('alice', 'GET', `/api/${call}${path}`))
    isRefused(t, await ask('alice', 'GET', `/api/resources${path}?checksum=sha256`))
    const encoded = { headers: { 'x-encoding': 'true' } }
    isRefused(t, await ask('alice', 'GET', `/api/resources${path}`, encoded))
    isRefused(t, await ask('alice', 'POST', `/api/share${path}`, { json: {} }))
  }
  for (const rest of ['lf', 'ld/', 'ld/secret.txt', 'ld/deep/']) {
    for (const call of ['share', 'dl'])
      isRefused(t, await ask('', 'GET', `/api/public/${call}/${shareId}/${rest}`))
  }
  // It is listed as a broken link, without the size or the time of its target.
  const { items } = JSON.parse((await ask('alice', 'GET', '/api/resources/docs')).text)
  const listed = items.filter(({ name }: { name: string }) => ['lf', 'ld'].includes(name))
  t.match(listed, [
    { type: 'invalid_link', isDir: false },
    { type: 'invalid_link', isDir: false },
  ])
  t.notMatch((await ask('alice', 'GET', '/api/resources/recursive/')).text, /victim/)
  t.notMatch((await ask('alice', 'GET', '/api/search/?query=victim')).text, /victim/)
})

row('B01 archives skip symbolic links that leave the scope', async (t) => {
  await rules('alice', ['/docs/private'])
  plantLinks(join(alice, 'docs'))
  const shareId = await share('/docs')
  for (const archive of [
    await ask('alice', 'GET', '/api/raw/docs?algo=zip'),
    await ask('alice', 'GET', '/api/raw/?algo=zip&files=docs,docs%2Flf,docs%2Fld'),
    await ask('', 'GET', `/api/public/dl/${shareId}/?algo=zip`),
  ]) {
    t.equal(archive.status, 200)
    const names = zipEntries(archive.body).map(({ name }) => name)
    t.ok(names.some((name) => name.endsWith('public.txt')))
    t.strictSame(
      names.filter((name) => /(^|\/)(lf|ld)(\/|$)/.test(name)),
      [],
    )
  }
  isRefused(t, await ask('alice', 'GET', '/api/raw/docs?files=lf'))
  isRefused(t, await ask('alice', 'GET', '/api/raw/docs?files=ld%2Fsecret.txt,lf'))
  await ask('alice', 'GET', '/api/raw/docs?algo=tar')
})

row('B01 a symbolic link that leaves the scope cannot be written through', async (t) => {
  plantLinks(alice)
  plantLinks(join(alice, 'docs'))
  for (const path of ['/lf', '/ld/new', '/ld/victim.txt', '/ld/deep/new/x', '/docs/ld/f']) {
    isRefused(t, await ask('alice', 'POST', `/api/resources${path}?override=true`, { body: 'x' }))
    isRefused(t, await ask('alice', 'PUT', `/api/resources${path}`, { body: 'x' }))
    isRefused(t, await ask('alice', 'POST', `/api/resources${path}/`), [403, 404, 409])
    for (const action of ['copy', 'rename']) {
      const onto = `/api/resources/pub.txt?action=${action}&override=true&destination=${path}`
      isRefused(t, await ask('alice', 'PATCH', onto), [403, 404, 409])
    }
  }
  for (const path of ['/ld/victim.txt', '/ld/deep']) {
    isRefused(t, await ask('alice', 'DELETE', `/api/resources${path}`))
    isRefused(t, await ask('alice', 'PATCH', `/api/resources${path}?action=rename&destination=/mine`))
  }
  for (const path of ['/lf', '/ld', '/ld/deep']) {
    isRefused(t, await ask('alice', 'PATCH', `/api/resources${path}?action=copy&destination=/mine`))
  }
  // A folder is copied with its symbolic links, never with their targets.
  await ask('alice', 'PATCH', '/api/resources/docs?action=copy&destination=/copy')
  assertNothingCameIn(t)
  // Deleting removes the symbolic link and keeps its target.
  t.equal((await ask('alice', 'DELETE', '/api/resources/ld')).status, 200)
  t.equal((await ask('alice', 'DELETE', '/api/resources/docs')).status, 200)
})

row('B01 a symbolic link inside the scope works, and the rules of its target apply', async (t) => {
  symlinkSync('docs', join(alice, 'way'))
  symlinkSync('docs/public.txt', join(alice, 'file'))
  t.equal((await ask('alice', 'GET', '/api/raw/file')).text, 'public')
  t.equal((await ask('alice', 'GET', '/api/raw/way/public.txt')).text, 'public')
  await rules('alice', ['/docs/private'])
  for (const path of ['/way/private', '/way/private/secret.txt']) {
    for (const call of reads) isRefused(t, await ask('alice', 'GET', `/api/${call}${path}`))
    for (const [method, body] of [
      ['PUT', 'x'],
      ['DELETE', ''],
      ['POST', 'x'],
    ] as const) {
      isRefused(t, await ask('alice', method, `/api/resources${path}?override=true`, { body }))
    }
  }
  const urls = [
    '/api/resources/way',
    '/api/resources/recursive/way',
    '/api/search/way?query=secret',
    '/api/search/way?query=private',
    '/api/raw/way?algo=tar',
    '/api/raw/?files=way,file',
  ]
  for (const url of urls) {
    const response = await ask('alice', 'GET', url)
    t.notMatch(response.body.toString('latin1'), /private|secret\.txt/, url)
  }
  const shareId = await share('/way')
  for (const rest of ['share/ID/', 'share/ID/private/', 'dl/ID/?algo=tar']) {
    const { body } = await ask('', 'GET', `/api/public/${rest.replace('ID', shareId)}`)
    t.notMatch(body.toString('latin1').replace(/^403.*/, ''), /private|secret\.txt/, rest)
  }
  isRefused(t, await ask('alice', 'PATCH', '/api/resources/way?action=copy&destination=/copy'))
  t.notOk(existsSync(join(alice, 'copy')))
  // A rule about the path through the symbolic link applies to requests by that path.
  await rules('alice', ['/way/private'])
  for (const url of urls.slice(0, -1)) {
    const response = await ask('alice', 'GET', url)
    t.notMatch(response.body.toString('latin1'), /private|secret\.txt/, url)
  }
})

row('B02 CVE-2026-55668 the name of a broken symbolic link is not free', async (t) => {
  const nowhere = join(outside, 'created.txt')
  symlinkSync(nowhere, join(alice, 'evil'))
  symlinkSync('../../outside/created.txt', join(alice, 'docs/evil'))
  symlinkSync('docs', join(alice, 'way'))
  for (const path of ['/evil', '/docs/evil', '/way/evil']) {
    isRefused(t, await ask('alice', 'POST', `/api/resources${path}?override=true`, { body: 'x' }))
    isRefused(t, await ask('alice', 'PUT', `/api/resources${path}`, { body: 'x' }))
    isRefused(t, await ask('alice', 'POST', `/api/resources${path}/`), [403, 409])
    isRefused(t, await ask('alice', 'POST', `/api/resources${path}/below/x`, { body: 'x' }), [403, 404, 409])
    for (const method of ['POST', 'HEAD', 'PATCH', 'DELETE']) {
      isRefused(t, await ask('alice', method, `/api/tus${path}?override=true`, { headers: piece }))
    }
    for (const action of ['copy', 'rename']) {
      for (const more of ['', '&override=true']) {
        const onto = `/api/resources/pub.txt?action=${action}&destination=${path}${more}`
        isRefused(t, await ask('alice', 'PATCH', onto), [403, 409])
      }
    }
  }
  t.notOk(existsSync(nowhere))
})

row('B04 a resumable upload whose folder became a symbolic link changes nothing outside', async (t) => {
  const part = () => readdirSync(join(alice, 'moved')).find((name) => name.startsWith('.coffer-part-'))
  mkdirSync(join(alice, 'd'))
  t.equal((await ask('alice', 'POST', '/api/tus/d/secret.txt', { headers: piece })).status, 201)
  renameSync(join(alice, 'd'), join(alice, 'moved'))
  symlinkSync(outside, join(alice, 'd'))
  writeFileSync(join(outside, part() ?? ''), 'of somebody outside')
  for (const method of ['HEAD', 'PATCH', 'DELETE']) {
    isRefused(t, await ask('alice', method, '/api/tus/d/secret.txt', { headers: piece, body: '' }))
  }
  unlinkSync(join(alice, 'd'))
  unlinkSync(join(outside, part() ?? ''))
  mkdirSync(join(alice, 'd'))
  symlinkSync(join(outside, 'secret.txt'), join(alice, 'd', part() ?? ''))
  isRefused(t, await ask('alice', 'PATCH', '/api/tus/d/secret.txt', { headers: piece, body: 'x' }))
  t.match(readFileSync(join(outside, 'secret.txt'), 'utf8'), 'OUTSIDE')
  unlinkSync(join(alice, 'd', part() ?? ''))
  isRefused(t, await ask('alice', 'PATCH', '/api/tus/d/secret.txt', { headers: piece, body: 'x' }))
  unlinkSync(join(alice, 'moved', part() ?? ''))
})

row('B03 CVE-2026-55667 a failed upload removes nothing but its own temporary file', async (t) => {
  symlinkSync(outside, join(alice, 'link'))
  isRefused(t, await ask('creator', 'POST', '/api/resources/link/victim.txt', { body: 'x' }))
  isRefused(t, await ask('creator', 'POST', '/api/resources/link/victim.txt?override=true', { body: 'x' }))
  isRefused(t, await ask('creator', 'POST', '/api/resources/pub.txt?override=true', { body: 'x' }))
  t.equal(readFileSync(join(alice, 'pub.txt'), 'utf8'), 'public')
})

for (const end of ['is finished', 'is broken off'] as const) {
  row(
    `B04 an upload that ${end} after its folder became a symbolic link changes nothing outside`,
    async (t) => {
      mkdirSync(join(alice, 'd'))
      const wire = await dial(t, target.port)
      const head = [
        'POST /api/resources/d/f?override=true HTTP/1.1',
        'Host: coffer',
        `X-Auth: ${await target.token('alice')}`,
        'Content-Length: 10',
        'Connection: close',
      ]
      wire.socket.write(`${head.join('\r\n')}\r\n\r\nhalf `)
      await until(() => readdirSync(join(alice, 'd')).length > 0)
      renameSync(join(alice, 'd'), join(alice, 'moved'))
      symlinkSync(outside, join(alice, 'd'))
      if (end === 'is finished') {
        wire.socket.write('whole')
        t.match(await wire.closed(), /^HTTP\/1\.1 (200|403|404)/)
      } else {
        wire.socket.destroy()
      }
      await until(() => !readdirSync(join(alice, 'moved')).some((name) => name.startsWith('.')))
      t.notOk(existsSync(join(outside, '.coffer-part-')))
    },
  )
}

// Alternates a folder with a symbolic link to the outside, as an attacker with access to the machine could.
const swapping = `
  const { d, real, outside } = require('node:worker_threads').workerData
  const { mkdirSync, renameSync, rmSync, symlinkSync } = require('node:fs')
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const turn = () => {
    // A refused upload may have removed the folder that it made, if that was still empty.
    try { renameSync(d, real) } catch { mkdirSync(real) }
    try { symlinkSync(outside, d) } catch {}
    Atomics.wait(pause, 0, 0, Math.random())
    // An upload may have created the folder again while it was missing.
    for (let back = false; !back; ) {
      rmSync(d, { recursive: true, force: true })
      try { renameSync(real, d); back = true } catch {}
    }
    Atomics.wait(pause, 0, 0, Math.random())
    setImmediate(turn)
  }
  turn()
`

row('B05 swapping a folder for a symbolic link while it is used gains nothing', async (t) => {
  const d = join(alice, 'd')
  mkdirSync(d)
  writeFileSync(join(d, 'f'), 'inside')
  writeFileSync(join(alice, 'g'), 'inside')
  const shareId = await share('/d')
  const workerData = { d, real: join(target.root, 'team/real'), outside }
  const swapper = new Worker(swapping, { eval: true, workerData })
  const attempts = [
    ['GET', '/api/raw/d/f'],
    ['GET', '/api/resources/d/f'],
    ['GET', '/api/resources/d/'],
    ['GET', '/api/resources/recursive/d'],
    ['GET', '/api/search/d?query=victim'],
    ['GET', '/api/raw/d?algo=tar'],
    ['GET', '/api/resources/d/f?checksum=sha256'],
    ['PUT', '/api/resources/d/f'],
    ['POST', '/api/resources/d/victim.txt?override=true'],
    ['PATCH', '/api/resources/d/f?action=copy&destination=/copy&rename=true'],
    ['PATCH', '/api/resources/g?action=copy&destination=/d/f&override=true'],
    ['PATCH', '/api/resources/d?action=copy&destination=/tree&rename=true'],
    ['DELETE', '/api/resources/d/f'],
    ['DELETE', '/api/resources/d/victim.txt'],
    ['GET', `/api/public/dl/${shareId}/f`],
    ['GET', `/api/public/dl/${shareId}/?algo=tar`],
  ] as const
  for (let round = 0; round < 12; round++) {
    const writes = (method: string) => (method === 'PUT' || method === 'POST' ? { body: 'inside' } : {})
    const responses = await Promise.all(
      attempts.map(([method, url]) => ask('alice', method, url, writes(method))),
    )
    for (const { text, request } of responses) t.notMatch(text, /victim\.txt":|deep/, request)
  }
  await swapper.terminate()
  assertNothingCameIn(t)
})

row('B08 a named pipe is listed but never opened', async (t) => {
  execFileSync(systemTool('mkfifo'), [
    join(alice, 'docs/pipe'),
    join(alice, 'docs/pipe.txt'),
    join(alice, 'docs/pipe.srt'),
  ])
  for (const name of ['pipe', 'pipe.txt', 'pipe.srt']) {
    const path = `/docs/${name}`
    isRefused(t, await ask('alice', 'GET', `/api/raw${path}`))
    isRefused(t, await ask('alice', 'GET', `/api/subtitle${path}`), [400, 403])
    isRefused(t, await ask('alice', 'GET', `/api/resources${path}?checksum=md5`))
    t.match((await ask('alice', 'GET', `/api/resources${path}`)).status, /200|403/)
    isRefused(t, await ask('alice', 'PUT', `/api/resources${path}`, { body: 'x' }))
    isRefused(t, await ask('alice', 'POST', `/api/share${path}`, { json: {} }))
    isRefused(t, await ask('alice', 'PATCH', `/api/resources${path}?action=copy&destination=/p`), [403, 404])
  }
  t.match((await ask('alice', 'GET', '/api/resources/docs')).text, /"pipe\.txt"[^}]*"type":"(blob|text)"/)
  await rules('alice', ['/docs/private'])
  t.equal((await ask('alice', 'GET', '/api/raw/docs?algo=zip')).status, 200)
})
