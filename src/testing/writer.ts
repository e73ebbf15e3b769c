import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Person, start } from './start.ts'

type Tree = Parameters<Test['testdir']>[0]

/** An instance whose user `alice` has these rights, and short ways to ask and to look at the disk. */
export async function writer(t: Test, tree: Tree = { 'a.txt': 'old' }, perm: Person['perm'] = {}) {
  const started = await start(t, { tree, people: { alice: { perm } } })
  const ask = await started.as('alice')
  const send = (method: string, path: string, payload = '', headers: Record<string, string> = {}) =>
    ask(method, `/api/resources/${path}`, { payload, headers })
  const onDisk = (name: string) => readFileSync(join(started.root, name), 'utf8')
  return { ...started, ask, send, onDisk }
}

/** Names of all that lies in the folder and is hidden from everyone. */
export const temporaries = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('.coffer-part'))
