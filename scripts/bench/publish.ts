import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startCoffer } from './coffer.ts'
import { type Bench, find, type ResultLine, runAlternating, stop } from './run.ts'

const run = promisify(execFile)
const posts = 2000

/** Measures publishing a Hugo site of 2,000 posts, compared with `hugo` itself. */
export async function benchPublish(bench: Bench): Promise<ResultLine[]> {
  const how = `${posts} posts, public folder replaced, median of ${bench.runs} alternating runs`
  const hugo = await find('hugo')
  if (!hugo) return [{ what: 'publish', ours: '-', peer: 'hugo is not installed', how }]
  const coffer = await startCoffer(join(bench.folder, 'publish'), undefined, ['--staticgen', 'hugo'])
  await writeSite(coffer.root)
  const seconds = async (work: () => Promise<unknown>) => {
    const startMs = performance.now()
    await work()
    return (performance.now() - startMs) / 1000
  }
  const ours = () => seconds(() => publish(coffer))
  const peer = async () => {
    // What the publication does too: the folder is new.
    await rm(join(coffer.root, 'peer'), { recursive: true, force: true })
    return seconds(() => run(hugo, ['--noBuildLock', '-s', coffer.root, '-d', join(coffer.root, 'peer')]))
  }
  await ours()
  const { ours: own = Number.NaN, peer: other = Number.NaN } = await runAlternating(
    { ours, peer },
    bench.runs,
  )
  await stop(coffer.child)
  return [
    {
      what: 'publish',
      ours: `${own.toFixed(2)} s`,
      peer: `hugo ${other.toFixed(2)} s (≤ 0.3 s more: ${(own - other).toFixed(2)} s)`,
      ratio: own / other,
      how,
    },
  ]
}

async function publish({ port, headers }: Awaited<ReturnType<typeof startCoffer>>): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/publish/`, { method: 'POST', headers })
  if (!reply.ok) throw new Error(await reply.text())
  await reply.arrayBuffer()
}

async function writeSite(root: string): Promise<void> {
  const layouts = join(root, 'layouts/_default')
  const content = join(root, 'content/posts')
  for (const folder of [layouts, content]) await mkdir(folder, { recursive: true })
  await writeFile(join(root, 'config.toml'), "title = 'Bench'\n")
  await writeFile(
    join(layouts, 'single.html'),
    '<html><body><h1>{{ .Title }}</h1>{{ .Content }}</body></html>',
  )
  await writeFile(
    join(layouts, 'list.html'),
    '<html><body>{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</body></html>',
  )
  const text = 'A sentence of a post that is neither short nor long.\n\n'.repeat(20)
  for (let n = 0; n < posts; n++)
    await writeFile(join(content, `post-${n}.md`), `---\ntitle: Post ${n}\ndate: 2026-01-01\n---\n${text}`)
}
