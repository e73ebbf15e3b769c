import { statfs } from 'node:fs/promises'
import type { ChecksumAlgorithm } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import type { Semaphore } from '#src/core/concurrency/semaphore.ts'
import type { createWorkerPool } from '#src/core/concurrency/worker-pool.ts'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { foldsIn } from '#src/files/jail/fresh.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { subtitleName } from '#src/files/listing/media-type.ts'
import { allowsIn, readShownNames, secretsIn } from '#src/files/paths/read-folder.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { childOf, nameOf, parentOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { HashTask } from '#src/files/reading/hash-file.ts'
import { openHeld } from '#src/files/reading/open-held.ts'
import { readWhole } from '#src/files/reading/read-whole.ts'
import { type MemoryBudget, smallText } from '#src/files/space/memory-budget.ts'
import { enterFiles, type Leaving } from '#src/resources/open-files.ts'
import { authorize, recheckOf, recheckWaiting } from '#src/resources/resources.policy.ts'
import { inReadersOrder } from './subtitle-order.ts'
import { toWebVtt } from './subtitles.ts'

// The subtitles of a long film are a tenth of this; what is larger only says that it is some.
const mostSubtitleBytes = 2 * 1024 * 1024

/** What can be asked of a resource beside its bytes: checksums, subtitles, the room on its disk. */
export function createDetails(
  hashers: ReturnType<typeof createWorkerPool<HashTask, string>>,
  {
    hashes,
    files,
    listings,
  }: { hashes: Semaphore; files: PartitionedSemaphore; listings: PartitionedSemaphore },
) {
  return {
    /**
     * A checksum in lower-case hex. Stops with the signal.
     *
     * @param how.verb what the person must be allowed to do: it tells what is in the file as reading it does
     * @throws Problem `path.folder`, `path.special`, `user.busy`.
     */
    async checksum(
      actor: Person,
      path: UserPath,
      {
        algorithm,
        verb,
        signal,
      }: { algorithm: ChecksumAlgorithm; verb: 'text' | 'read'; signal: AbortSignal },
    ): Promise<string> {
      authorize(actor.user.perm, verb)
      const waiting = recheckWaiting(actor, verb, [path])
      using _files = await files.acquire(actor.payer, { size: 2, signal, recheck: waiting })
      await using held = await openPath(await actor.jail(), path)
      const file = await openHeld(held)
      try {
        const recheck = recheckOf(actor, verb, [path, held.path])
        using _turn = await hashes.acquire(String(actor.user.id), { signal, recheck })
        return await hashers.run({ fd: file.fd, algorithm }, { signal, recheck }).catch(onPath(path))
      } finally {
        await file.close()
      }
    },

    /** The disk that holds `path`, in bytes; zeros for a file (contract/compatibility.md#previews-and-details). */
    async usage(actor: Person, path: UserPath): Promise<{ total: number; used: number }> {
      await using held = await openPath(await actor.jail(), path)
      if (!held.stats.isDirectory()) return { total: 0, used: 0 }
      const { blocks, bfree, bsize } = await statfs(held.address).catch(onPath(path))
      return { total: blocks * bsize, used: (blocks - bfree) * bsize }
    },

    /**
     * A subtitle file as WebVTT.
     *
     * @throws Problem `path.subtitle` for anything else, what `room` does, `user.busy`, `server.busy`.
     */
    async subtitle(
      actor: Person,
      path: UserPath,
      { room, signal }: { room: MemoryBudget } & Leaving,
    ): Promise<string> {
      authorize(actor.user.perm, 'read')
      using _files = await enterFiles(files, actor, { kind: 'read', verb: 'read', paths: [path], signal })
      await using held = await openPath(await actor.jail(), path)
      const isOne = subtitleName.test(nameOf(path)) && held.stats.size <= mostSubtitleBytes
      if (isOne && held.stats.size > smallText) await room.text(held.stats.size, [path, held.path])
      const bytes = isOne ? await readWhole(held, mostSubtitleBytes) : undefined
      if (!bytes) throw new Problem('path.subtitle', { path })
      return toWebVtt(nameOf(path), bytes)
    },

    /**
     * Paths of the subtitle files that belong to a film: beside it, or in a folder for them (contract/compatibility.md#listings-and-files). Reads whole
     * folders, so it takes a turn as a listing does. Those in `language` come first.
     *
     * @throws Problem `user.busy`, `server.busy`.
     */
    async subtitlesOf(
      actor: Person,
      film: UserPath,
      { signal, language }: Leaving & { language: string },
    ): Promise<string[]> {
      const recheck = recheckWaiting(actor, 'look', [film])
      // In the order in which a listing takes them, so that neither waits for the other.
      using _files = await enterFiles(files, actor, { kind: 'read', verb: 'look', paths: [film], signal })
      using _turn = await listings.acquire(actor.payer, { recheck, signal })
      const jail = await actor.jail()
      const stem = nameOf(film).replace(/\.[^.]*$/, '')
      const beside = await namesAt(jail, parentOf(film))
      const found = subtitles(
        parentOf(film),
        beside.filter((name) => name.startsWith(stem)),
      )
      for (const name of beside.filter((one) => /^(subs|subtitles)$/i.test(one))) {
        found.push(...(await inFolder(jail, childOf(parentOf(film), name), stem)))
      }
      return inReadersOrder(nameOf(film), found, language)
    },
  }
}

/** Everything in a folder for subtitles, and in one level of folders in it that begin with the film's name. */
async function inFolder(jail: Jail, path: UserPath, stem: string): Promise<string[]> {
  const names = await namesAt(jail, path)
  const deeper = names.filter((name) => name.startsWith(stem) && !subtitleName.test(name))
  const lists = await Promise.all(
    deeper.map(async (name) => subtitles(childOf(path, name), await namesAt(jail, childOf(path, name)))),
  )
  return [...subtitles(path, names), ...lists.flat()]
}

async function namesAt(jail: Jail, path: UserPath): Promise<string[]> {
  try {
    await using folder = await openPath(jail, path)
    return await visibleNames(jail, folder)
  } catch {
    return [] // denied, or no folder at all: no subtitles there
  }
}

async function visibleNames(jail: Jail, folder: OpenPath): Promise<string[]> {
  const { address, real, path, spelled } = folder
  const folds = await foldsIn(folder)
  const mayShow = (each: string) => jail.allows(each as UserPath, folds)
  const names = await readShownNames(address, {
    secrets: secretsIn(real, jail.secret),
    hideDotfiles: false, // the jail knows of them
    allows: allowsIn(mayShow, { path: spelled, inside: path, folds }),
  })
  return names.sort()
}

function subtitles(folder: UserPath, names: string[]): string[] {
  return names.filter((name) => subtitleName.test(name)).map((name) => childOf(folder, name))
}
