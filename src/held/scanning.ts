import type { FileHandle } from 'node:fs/promises'
import type { Clamd } from '#src/core/clamd/clamd.ts'
import type { Verdict } from '#src/core/clamd/verdict.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import { hashedContent } from './hashed-content.ts'

/** While this time lasts after a scanner was silent, senders do not wait for it. */
const silentForMs = 60_000

/** A file, the verdict about it, and its size and hash. */
export type Examined = { verdict: Verdict; size: number; sha256: string }

/** Creates the scanner of all contents: those that arrive, and those that wait. Few are sent at the same time. */
export function createScanning(clamd: Clamd) {
  const turns = createSemaphore('virus scans', {
    each: 2,
    all: 4,
    waitingEach: 1000,
    waitingAll: 4000,
    maxWaitMs: 120_000,
  })
  let silentUntil = Number.NEGATIVE_INFINITY

  async function ask(content: () => AsyncIterable<Buffer>, signal: AbortSignal): Promise<Verdict> {
    const verdict = await clamd.scan(content, signal)
    if (verdict.kind === 'away' && verdict.isSilent) silentUntil = performance.now() + silentForMs
    if (verdict.kind !== 'away') silentUntil = Number.NEGATIVE_INFINITY
    return verdict
  }

  return {
    /** Sends a content to the scanner, for work in the background. */
    ask,

    /**
     * Sends an open file to the scanner when it is its turn.
     *
     * @throws the signal's reason, `recheck`'s problem, `user.busy`.
     */
    async examine(
      file: FileHandle,
      { owner, recheck, signal }: { owner: string; recheck: Recheck; signal: AbortSignal },
    ): Promise<Examined> {
      const content = hashedContent(file)
      const verdict = await turns
        .acquire(owner, { recheck, signal })
        .then(async (turn) => {
          using _turn = turn
          if (performance.now() < silentUntil) return silent
          return await ask(content.pieces, signal)
        })
        .catch((error: unknown) => {
          if (error instanceof Problem && error.code === 'server.busy') return busy
          throw error
        })
      return { verdict, ...(await content.facts(signal)) }
    },
  }
}

export type Scanning = ReturnType<typeof createScanning>

const silent: Verdict = {
  kind: 'away',
  reason: 'the scanner was silent before',
  isSilent: true,
  isBroken: false,
}
const busy: Verdict = {
  kind: 'away',
  reason: 'the scanner has too much to do',
  isSilent: false,
  isBroken: false,
}
