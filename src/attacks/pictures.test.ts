import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hostileAvifs } from '#src/testing/hostile-avif.ts'
import { hostileBmps, hostileGifs, hostileJpegs, hostilePngs } from '#src/testing/hostile-pictures.ts'
import { hostileWebps } from '#src/testing/hostile-webp.ts'
import { watchPeakMemory } from '#src/testing/memory.ts'
import { asAvif, asBmp, asGif, asJpeg, asPng, asWebp, painted } from '#src/testing/pictures.ts'
import { isRefused, openTarget } from './fixture.ts'

const target = await openTarget(t, { config: { requestRate: 10_000, userRate: 10_000 } })
const { ask, row, root, base } = target
const alice = join(root, 'alice')

const picture = painted(64, 48, (x, y) => [x * 3, y * 4, (x * y) % 255, 255])
const honest = {
  'h.jpg': await asJpeg(picture),
  'h.png': asPng(picture),
  'h.webp': await asWebp(picture),
  'h.avif': await asAvif(picture),
  'h.gif': asGif(64, 48, [[200, 30, 30]]),
  'h.bmp': asBmp(picture),
}
const hostile: Record<string, Buffer> = {
  ...hostileJpegs(honest['h.jpg']),
  ...hostileGifs(),
  ...hostilePngs(),
  ...hostileWebps(honest['h.webp']),
  ...hostileBmps(),
  ...hostileAvifs(honest['h.avif']),
}

const put = (files: Record<string, Buffer>) => {
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(alice, name), bytes)
}
const thumb = (name: string) => `/api/preview/thumb/${name}`

/** The content of the preview cache: the first bytes of each file. */
function cached(): string[] {
  const cache = join(base, 'state.d/cache')
  const files = (readdirSync(cache, { recursive: true }) as string[]).map((name) => join(cache, name))
  return files
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file).toString('latin1', 0, 12))
}

row(
  'a picture with a false size is refused, uses little memory and does not affect other pictures',
  async (t) => {
    put({ ...hostile, ...honest })
    const names = Object.keys(hostile)
    await ask('alice', 'GET', thumb('h.avif'))
    const peak = watchPeakMemory()
    for (let at = 0; at < names.length; at += 8) {
      const some = names.slice(at, at + 8)
      const responses = await Promise.all(some.map((name) => ask('alice', 'GET', thumb(name))))
      for (const response of responses) if (response.status !== 200) isRefused(t, response, [413, 415, 422])
    }
    t.ok(peak() < 1200, `${peak()} MiB at most`)
    for (const name of Object.keys(honest)) {
      t.equal((await ask('alice', 'GET', thumb(name))).status, 200, `${name} is made after that`)
    }
    // Every result is cached, and none is half written: a whole picture or the reason why there is none.
    const known = cached()
    t.equal(known.length, names.length + Object.keys(honest).length)
    t.strictSame(
      known.filter((first) => !/^(RIFF.{4}WEBP|!(unknown|large|broken|slow)$)/s.test(first)),
      [],
    )
  },
)

row(
  'a header of 16 pixels for a picture of 67 million gets no more memory than its own budget',
  async (t) => {
    const lying = hostile['sequence.avif'] ?? Buffer.alloc(0)
    put({ 'one.avif': lying, 'two.avif': lying })
    await ask('alice', 'GET', thumb('h.avif'))
    const peak = watchPeakMemory()
    const responses = await Promise.all(
      ['one.avif', 'two.avif'].map((name) => ask('alice', 'GET', thumb(name))),
    )
    for (const response of responses) isRefused(t, response, [422])
    // Without the limit each would take 800 MB.
    t.ok(peak() < 600, `${peak()} MiB`)
  },
)
