import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { loadConfig } from '#src/config/load.ts'
import { importFiles } from '#src/import/import.ts'

/** The content of a file that File Browser wrote, from `src/import/samples`. */
export function sample(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`../import/samples/${name}.gz`, import.meta.url)))
}

/** Creates a served folder with the files of the samples, and returns functions that write files and import them. */
export async function importWorld(t: Test) {
  const docs = () => ({ 'a.txt': 'A' })
  const tree = { docs: docs(), photos: { 'b.jpg': 'B' }, users: { alice: { docs: docs(), photos: {} } } }
  const base = realpathSync(t.testdir({ root: tree, files: {} }))
  const root = join(base, 'root')
  const database = join(base, 'state.json')
  const config = await loadConfig(['--root', root, '--database', database], {})
  /** Writes a file and returns its path. Objects are written as JSON. */
  const put = (name: string, content: unknown = sample(name)): string => {
    const file = join(base, 'files', name)
    mkdirSync(join(base, 'files'), { recursive: true })
    writeFileSync(
      file,
      Buffer.isBuffer(content) || typeof content === 'string' ? content : JSON.stringify(content),
    )
    return file
  }
  const load = (...files: string[]) => importFiles(config, { files, isDryRun: false })
  const plan = (...files: string[]) => importFiles(config, { files, isDryRun: true })
  const state = () => JSON.parse(readFileSync(database, 'utf8'))
  return { base, root, database, config, put, load, plan, state }
}
