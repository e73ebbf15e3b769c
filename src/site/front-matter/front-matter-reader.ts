import type { FrontMatterChange, FrontMatterView } from '#contract/publish.ts'
import type { Principal } from '#src/access/principal.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { ProcessorTimeExceeded } from '#src/core/threads/processor-limit.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import type { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { findBlock, maxLength } from './block.ts'
import { type ChangedText, changeFrontMatter, draftMarks } from './front-matter.ts'
import type { FrontMatterResult, FrontMatterTask } from './front-matter-task.ts'

/** The threads that read large front matter. */
export type FrontMatterThreads = ReturnType<typeof createWorkerPool<FrontMatterTask, FrontMatterResult>>

/** Their number and limits. No user has more than one. */
export const frontMatterThreads = { threads: threads.frontMatter, idleMs: 10_000, heapMb: 192 } as const

// The parsers need more than linear time for some texts. They read as much as this on the main thread, which is more than
// most posts have; a thread reads the rest.
const mostInline = 2 * 1024
// Honest front matter of the largest size takes less than 100 ms.
const processorMs = 2000
// `findBlock` reads no more than this.
const headLength = maxLength + 128

/** Reads and changes front matter for users, so that no text holds up the server. */
export function createFrontMatterReader(pool: Pick<FrontMatterThreads, 'run'>) {
  const turns = createSemaphore('posts', {
    each: 1,
    all: frontMatterThreads.threads,
    waitingEach: 100,
    maxWaitMs: 60_000,
  })

  async function change(
    person: Principal,
    text: string,
    changes: readonly FrontMatterChange[] = [],
  ): Promise<ChangedText> {
    const head = text.slice(0, headLength)
    const changed = isSmall(head, changes)
      ? changeFrontMatter(head, changes)
      : await changeInThread(person, { text: head, changes })
    return { view: changed.view, text: changed.text + text.slice(headLength) }
  }

  async function changeInThread(person: Principal, task: FrontMatterTask): Promise<ChangedText> {
    const recheck = () => person.check([])
    using _turn = await turns.acquire(person.quotaOwner.key, { recheck })
    const result = await pool.run(task, { recheck, processorMs }).catch((error: unknown) => {
      if (!(error instanceof ProcessorTimeExceeded)) throw error
      return { invalid: 'it takes too long to read' }
    })
    if ('changed' in result) return result.changed
    throw new Problem('frontmatter.invalid', { reason: result.invalid })
  }

  return {
    /**
     * Changes fields of the front matter, see `changeFrontMatter`.
     *
     * @throws Problem `frontmatter.invalid`, `user.busy`, `server.busy`, and as `Principal.check`.
     */
    change,

    /** Reads the front matter of a text. @throws Problem as `change`. */
    read: async (person: Principal, text: string): Promise<FrontMatterView> =>
      (await change(person, text)).view,

    /**
     * Removes the mark of a draft: `draft: true` becomes false, and Jekyll's `published: false` becomes true. Returns the
     * text unchanged if it has no such mark.
     *
     * @throws Problem as `change`.
     */
    async publish(person: Principal, text: string): Promise<string> {
      const marks = draftMarks((await change(person, text)).view.fields)
      return marks.length === 0 ? text : (await change(person, text, marks)).text
    },
  }
}

export type FrontMatterReader = ReturnType<typeof createFrontMatterReader>

function isSmall(head: string, changes: readonly FrontMatterChange[]): boolean {
  const block = findBlock(head)
  // Front matter without an end is refused before it is parsed.
  if (block === 'open') return true
  const length = block ? block.end - block.start : 0
  return changes.reduce((sum, { name, value }) => sum + name.length + sizeOf(value), length) <= mostInline
}

function sizeOf(value: FrontMatterChange['value']): number {
  if (typeof value === 'string') return value.length
  return Array.isArray(value) ? value.reduce((sum, item) => sum + item.length + 1, 0) : 1
}
