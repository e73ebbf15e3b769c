import type { Person } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { exists } from '#src/files/exists.ts'
import { createFlow, type Flow, tookPart } from '#src/files/flow.ts'
import { type Held, hold } from '#src/files/jail.ts'
import { parseQuery, type Query } from '#src/files/query.ts'
import type { ScanTask } from '#src/files/scan-tree.ts'
import { rootPath, type UserPath } from '#src/files/user-path.ts'
import type { createWorkers } from '#src/files/workers.ts'

/** Threads that walk trees and tell what they find. */
export type ScanWorkers = ReturnType<typeof createWorkers<ScanTask, void, string[]>>

/** Walks through a person's folders that tell what they find while they go. */
export function createSearch(workers: ScanWorkers) {
  async function* scan(
    actor: Person,
    {
      folder,
      path,
      query,
      signal,
    }: { folder: Held; path: UserPath; query: Query | undefined; signal: AbortSignal },
  ): AsyncGenerator<string[]> {
    const { secret } = await actor.jail()
    const { hideDotfiles } = actor.user
    const { address, real, path: inside } = folder
    const tree = { address, real, path, inside, secret, rules: actor.rules, hideDotfiles }
    const flow = createFlow()
    yield* batches(workers, { tree, query, flow }, { flow, signal })
  }

  /** Opens the folder first, so that a refusal comes before the first byte of an answer. */
  async function begin(
    actor: Person,
    { path, query, signal }: { path: UserPath; query: Query | undefined; signal: AbortSignal },
  ): Promise<AsyncGenerator<string[]>> {
    const folder = await hold(await actor.jail(), path)
    if (!folder.stats.isDirectory()) {
      await folder.close()
      throw new Problem('path.file', { path })
    }
    return closing(folder, scan(actor, { folder, path, query, signal }))
  }

  return {
    /**
     * Finds by name below a folder (contract W7): batches of `{dir, path}` as JSON texts, as they are found.
     *
     * @throws Problem `path.unknown`, `path.forbidden`, `path.file`.
     */
    find: (actor: Person, path: UserPath, { query, signal }: { query: string; signal: AbortSignal }) =>
      begin(actor, { path, query: parseQuery(query), signal }),

    /** Everything below a folder, as batches of JSON texts (reference 13.1). @throws as `find`. */
    all: (actor: Person, path: UserPath, signal: AbortSignal) =>
      begin(actor, { path, query: undefined, signal }),

    /** Whether a person has a folder of their own that is called `recursive`: it goes before the call of that name. */
    async hasRecursive(actor: Person): Promise<boolean> {
      return exists(await actor.jail(), `${rootPath}recursive` as UserPath).catch(() => false)
    },
  }
}

async function* closing<T>(held: Held, inner: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* inner
  } finally {
    await held.close()
  }
}

/** Turns a thread's telling into a generator that the thread cannot outrun. */
async function* batches(
  workers: ScanWorkers,
  task: ScanTask,
  { flow, signal }: { flow: Flow; signal: AbortSignal },
): AsyncGenerator<string[]> {
  const waiting: string[][] = []
  let wake = () => {}
  let ended = false
  const stop = new AbortController()
  const run = workers
    .run(task, {
      signal: AbortSignal.any([signal, stop.signal]),
      onPart: (batch) => {
        waiting.push(batch)
        wake()
      },
    })
    .finally(() => {
      ended = true
      wake()
    })
  run.catch(() => {}) // awaited below; until then a failure is nobody's surprise
  try {
    for (;;) {
      const batch = waiting.shift()
      if (batch) {
        tookPart(flow)
        yield batch
      } else if (ended) break
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    await run
  } finally {
    stop.abort()
  }
}
