import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Principal } from '#src/access/principal.ts'
import type { Clamd, Verdict } from '#src/core/clamd/clamd.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { onPath, Problem, unconditional } from '#src/core/problem.ts'
import type { Examiner, FinishedFile } from '#src/entries/examine.ts'
import { open } from '#src/files/paths/disk.ts'
import { hashedContent } from './hashed-content.ts'
import type { HeldFile } from './held-record.ts'
import type { Holding, HoldRequest } from './holding.ts'

const { O_RDONLY, O_NOFOLLOW = 0 } = constants

/** While this time lasts after a scanner was silent, senders do not wait for it. */
const silentForMs = 60_000

/** What examining files needs. */
export interface ExaminerOptions {
  clamd: Clamd
  /** Whether the files of users are examined, not only those of visitors. */
  coversUsers: boolean
  holding: Holding
  /** Called with each file that is held. Must not throw. */
  onHeld(held: HeldFile): void
  /** Called with what the scanner has found in a file that cannot be kept. Must not throw. */
  onFound(found: Omit<HoldRequest, 'state'>): void
  /** Called when the scanner has passed a file. */
  onAnswer(): void
}

/** A file, the verdict about it, and its size and hash. */
type Examined = { verdict: Verdict; size: number; sha256: string }

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
      {
        owner,
        recheck = unconditional,
        signal,
      }: { owner: string; recheck?: () => void; signal: AbortSignal },
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

/** Whether somebody sends files through a share. */
function isVisitor({ quotaOwner }: Pick<Principal, 'quotaOwner'>): boolean {
  return quotaOwner.share !== undefined
}

/**
 * Creates the one place through which each content from outside passes before it gets its name
 * (contract/README.md#examined-files).
 */
export function createExaminer(
  { coversUsers, holding, onHeld, onFound, onAnswer }: Omit<ExaminerOptions, 'clamd'>,
  scanning: Scanning,
): Examiner {
  async function scan({ actor, path, temporary, signal }: FinishedFile): Promise<Examined> {
    const file = await open(temporary, O_RDONLY | O_NOFOLLOW).catch(onPath(path))
    try {
      const stats = await file.stat()
      if (stats.size === 0) return { verdict: { kind: 'clean' }, size: 0, sha256: '' }
      const { share = '', key } = actor.quotaOwner
      return await scanning.examine(file, {
        owner: `${share} ${key}`,
        recheck: () => actor.check([path]),
        signal,
      })
    } finally {
      await file.close()
    }
  }

  return {
    covers: (actor) => coversUsers || isVisitor(actor),

    async examine(file) {
      const { path, actor } = file
      const { verdict, ...facts } = await scan(file)
      if (verdict.kind === 'clean') return onAnswer()
      if (verdict.kind === 'infected') {
        const found = { file, reason: verdict.signature, ...facts }
        onFound(found)
        const held = await holding.hold({ ...found, state: 'infected' })
        if (held) onHeld(held)
        throw infected(path, isVisitor(actor) ? undefined : verdict.signature)
      }
      const state = verdict.kind === 'away' ? 'waiting' : 'unscannable'
      const held = await holding.hold({ file, state, reason: verdict.reason, ...facts })
      if (!held) throw new Problem('scan.away', { path })
      onHeld(held)
      throw new Problem('scan.held', { path, size: facts.size })
    },
  }
}

/** Visitors do not learn what was found: it would help them to hide it. */
function infected(path: string, signature: string | undefined): Problem {
  return new Problem('scan.infected', {
    path,
    found: signature === undefined ? '' : ` (${signature})`,
    ...(signature !== undefined && { signature }),
  })
}
