import type { Item } from '#contract/resources.ts'
import { modifiedMs } from '#web/api/uploads/modified.ts'
import { ask } from '#web/overlays/ask.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { isNewer } from '#web/overlays/newer.ts'
import { folderText, nameOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { createExistingItems } from './existing.ts'
import type { UploadJob } from './uploads-state.ts'

const Conflict = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Conflict)

/** A job whose name is taken. */
interface Taken {
  job: UploadJob
  body: Blob
  there: Item
}

/** What to do with the jobs whose names are taken. Undefined when the user cancels. */
export type ConflictChoices = ReadonlyMap<UploadJob, Choice>

/**
 * Asks about every taken name before the first byte is sent: replace, keep both or skip, once or for all. Jobs fail if
 * a file has the name of a folder that they need.
 *
 * @param folder an existing folder that contains all jobs: decoded, closing slash
 */
export async function resolveConflicts(
  folder: string,
  jobs: readonly UploadJob[],
  bodyOf: (job: UploadJob) => Blob | undefined,
): Promise<ConflictChoices | undefined> {
  const choices = new Map<UploadJob, Choice>()
  const taken = await takenAmong(folder, jobs, bodyOf)
  let forAll: Choice | undefined
  for (const [n, one] of taken.entries()) {
    if (one.job.status === 'cancelled') continue
    const choice = forAll && fitting(forAll, one)
    if (choice) {
      choices.set(one.job, choice)
      continue
    }
    const answer = await askAbout(one, taken.length - n - 1)
    if (!answer) return undefined
    if (answer.all) forAll = answer.choice
    choices.set(one.job, settled(answer.choice, one))
  }
  return choices
}

/** Asks what to do with a file whose name was taken during the upload. Closing the question skips the file. */
export async function askAboutConflict(path: string, body: Blob): Promise<Choice> {
  const there = await createExistingItems('/').at(path)
  const answer = await ask(Conflict, { ...named(path), more: 0, ...sides(body, there), ...rights(there) })
  return answer?.choice ?? 'skip'
}

async function takenAmong(
  folder: string,
  jobs: readonly UploadJob[],
  bodyOf: (job: UploadJob) => Blob | undefined,
): Promise<Taken[]> {
  const existing = createExistingItems(folder)
  const taken: Taken[] = []
  for (const job of jobs) {
    const body = bodyOf(job)
    if (await existing.fileAbove(job.path)) {
      job.status = 'failed'
      job.code = 'path.file'
      continue
    }
    const there = body && (await existing.at(job.path))
    if (there) taken.push({ job, body, there })
  }
  return taken
}

function askAbout({ job, body, there }: Taken, more: number) {
  return ask(Conflict, { ...named(job.path), more, ...sides(body, there), ...rights(there) })
}

function named(path: string) {
  return { name: nameOf(path), place: folderText(path) }
}

function sides(body: Blob, there: Item | undefined) {
  const incoming = { size: body.size, modified: modifiedMs(body) ?? Date.now() }
  if (!there || there.isDir) return { incoming }
  return { incoming, existing: { size: there.size, modified: Date.parse(there.modified) } }
}

/** A file never replaces a folder, and replacing needs the permission to modify (contract/README.md#resources). */
function rights(there: Item | undefined) {
  return { mayReplace: (session.user?.perm.modify ?? false) && !there?.isDir }
}

/** The choice for all, if it is possible for this file. */
function fitting(choice: Choice, one: Taken): Choice | undefined {
  const replaces = choice === 'replace' || choice === 'newer'
  return replaces && one.there.isDir ? undefined : settled(choice, one)
}

function settled(choice: Choice, { body, there }: Taken): Choice {
  if (choice !== 'newer') return choice
  const { incoming, existing } = sides(body, there)
  return existing && isNewer(incoming, existing) ? 'replace' : 'skip'
}
