import type { Principal } from '#src/access/principal.ts'
import { onPath, Problem } from '#src/core/problem.ts'
import type { Examiner, FinishedFile } from '#src/entries/examine.ts'
import { readTempFile } from '#src/files/writing/temp-file.ts'
import type { HeldFile } from './held-record.ts'
import type { Holding, HoldRequest } from './holding.ts'
import type { Examined, Scanning } from './scanning.ts'

/** What examining files needs. */
interface ExaminerOptions {
  scanning: Scanning
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

/** Whether the sender is a visitor of a share. */
function isVisitor({ quotaOwner }: Pick<Principal, 'quotaOwner'>): boolean {
  return quotaOwner.share !== undefined
}

/**
 * Creates the one place through which each content from outside passes before it gets its name
 * (contract/README.md#examined-files).
 */
export function createExaminer({
  scanning,
  coversUsers,
  holding,
  onHeld,
  onFound,
  onAnswer,
}: ExaminerOptions): Examiner {
  async function scan({ actor, path, temporary, signal }: FinishedFile): Promise<Examined> {
    const file = await readTempFile(temporary).catch(onPath(path))
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
      const { verdict, ...facts } = await scan(file)
      if (verdict.kind === 'clean') return facts.size > 0 ? onAnswer() : undefined // an empty file is not sent
      throw verdict.kind === 'infected'
        ? await keepInfected({ file, reason: verdict.signature, ...facts })
        : await holdBack({ file, reason: verdict.reason, ...facts }, verdict.kind)
    },
  }

  async function keepInfected(found: Omit<HoldRequest, 'state'>): Promise<Problem> {
    onFound(found)
    const held = await holding.hold({ ...found, state: 'infected' })
    if (held) onHeld(held)
    return infected(found.file.path, isVisitor(found.file.actor) ? undefined : found.reason)
  }

  async function holdBack(
    request: Omit<HoldRequest, 'state'>,
    kind: 'away' | 'unscannable',
  ): Promise<Problem> {
    const { path } = request.file
    const held = await holding.hold({ ...request, state: kind === 'away' ? 'waiting' : kind })
    if (!held) return new Problem('scan.away', { path })
    onHeld(held)
    return new Problem('scan.held', { path, size: request.size })
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
