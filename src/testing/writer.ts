import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Person, start } from './start.ts'

type Tree = Parameters<Test['testdir']>[0]

/** Starts an instance with a user `alice`, and returns short functions for requests and for files on disk. */
export async function writer(t: Test, tree: Tree = { 'a.txt': 'old' }, perm: Person['perm'] = {}) {
  const started = await start(t, { tree, people: { alice: { perm } } })
  const ask = await started.as('alice')
  const send = (method: string, path: string, payload = '', headers: Record<string, string> = {}) =>
    ask(method, `/api/resources/${path}`, { payload, headers })
  const onDisk = (name: string) => readFileSync(join(started.root, name), 'utf8')
  return { ...started, ask, send, onDisk }
}

/** The names of the hidden temporary files in a folder. */
export const temporaries = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('.coffer-part'))
