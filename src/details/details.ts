import { statfs } from 'node:fs/promises'
import type { ChecksumAlgorithm } from '#contract/resources.ts'
import { authorize, recheckOf, recheckWaiting } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore, Semaphore } from '#src/core/concurrency/semaphore.ts'
import { onPath, Problem } from '#src/core/problem.ts'
import type { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { acquireDescriptors, type WaitOptions } from '#src/entries/open.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { foldsIn } from '#src/files/jail/locate.ts'
import { subtitleName } from '#src/files/listing/entry.ts'
import { allowsIn, readShownNames, secretsIn } from '#src/files/paths/read-folder.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { childOf, nameOf, parentOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { HashTask } from '#src/files/reading/hash-file.ts'
import { readWhole } from '#src/files/reading/read-whole.ts'
import { openHeld } from '#src/files/reading/readable-file.ts'
import { type MemoryBudget, smallTextBytes } from '#src/files/space/memory-budget.ts'
import { sortForLanguage } from './subtitle-order.ts'
import { toWebVtt } from './subtitles.ts'

// Subtitles of a long video need a tenth of this. A larger file is not a subtitle file, whatever its name.
const maxSubtitleBytes = 2 * 1024 * 1024

/** Details of a resource besides its bytes: checksums, subtitles, disk usage. */
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
     * Returns a checksum in lower-case hex. The signal stops it.
     *
     * @param how.verb the permission that the person needs, because a checksum reveals content of the file as reading
     *   does
     * @throws Problem `path.folder`, `path.special`, `user.busy`.
     */
    async checksum(
      actor: Principal,
      path: UserPath,
      {
        algorithm,
        verb,
        signal,
      }: { algorithm: ChecksumAlgorithm; verb: 'text' | 'read'; signal: AbortSignal },
    ): Promise<string> {
      authorize(actor, verb)
      const waiting = recheckWaiting(actor, verb, [path])
      using _files = await files.acquire(actor.quotaOwner, { size: 2, signal, recheck: waiting })
      await using held = await openPath(await actor.jail(), path)
      const file = await openHeld(held)
      try {
        const recheck = recheckOf(actor, verb, [path, held.path])
        using _permit = await hashes.acquire(String(actor.user.id), { signal, recheck })
        return await hashers.run({ fd: file.fd, algorithm }, { signal, recheck }).catch(onPath(path))
      } finally {
        await file.close()
      }
    },

    /**
     * Returns the size and the used bytes of the disk of `path`; zeros for a file
     * (contract/compatibility.md#previews-and-details).
     */
    async usage(actor: Principal, path: UserPath): Promise<{ total: number; used: number }> {
      await using held = await openPath(await actor.jail(), path)
      if (!held.stats.isDirectory()) return { total: 0, used: 0 }
      const { blocks, bfree, bsize } = await statfs(held.address).catch(onPath(path))
      return { total: blocks * bsize, used: (blocks - bfree) * bsize }
    },

    /**
     * Returns a subtitle file as WebVTT.
     *
     * @throws Problem `path.subtitle` for any other file, the errors of `room`, `user.busy`, `server.busy`.
     */
    async subtitle(
      actor: Principal,
      path: UserPath,
      { room, signal }: { room: MemoryBudget } & WaitOptions,
    ): Promise<string> {
      authorize(actor, 'read')
      using _files = await acquireDescriptors(files, actor, {
        kind: 'read',
        verb: 'read',
        paths: [path],
        signal,
      })
      await using held = await openPath(await actor.jail(), path)
      const isSubtitle = subtitleName.test(nameOf(path)) && held.stats.size <= maxSubtitleBytes
      if (isSubtitle && held.stats.size > smallTextBytes) await room.text(held.stats.size, [path, held.path])
      const bytes = isSubtitle ? await readWhole(held, maxSubtitleBytes) : undefined
      if (!bytes) throw new Problem('path.subtitle', { path })
      return toWebVtt(nameOf(path), bytes)
    },

    /**
     * Returns the paths of a video's subtitle files: beside it, and in subtitle folders
     * (contract/compatibility.md#listings-and-files). Takes a permit for listings, because it reads whole folders.
     * Files in `language` come first.
     *
     * @throws Problem `user.busy`, `server.busy`.
     */
    async subtitlesOf(
      actor: Principal,
      video: UserPath,
      { signal, language }: WaitOptions & { language: string },
    ): Promise<string[]> {
      const recheck = recheckWaiting(actor, 'look', [video])
      // Takes the two permits in the same order as a listing, so that the two cannot deadlock.
      using _files = await acquireDescriptors(files, actor, {
        kind: 'read',
        verb: 'look',
        paths: [video],
        signal,
      })
      using _permit = await listings.acquire(actor.quotaOwner, { recheck, signal })
      const jail = await actor.jail()
      const stem = nameOf(video).replace(/\.[^.]*$/, '')
      const beside = await namesAt(jail, parentOf(video))
      const found = subtitles(
        parentOf(video),
        beside.filter((name) => name.startsWith(stem)),
      )
      for (const name of beside.filter((one) => /^(subs|subtitles)$/i.test(one))) {
        found.push(...(await inSubtitleFolder(jail, childOf(parentOf(video), name), stem)))
      }
      return sortForLanguage(nameOf(video), found, language)
    },
  }
}

/** Finds the subtitles in a subtitle folder, and in its direct subfolders whose names begin with the video's name. */
async function inSubtitleFolder(jail: Jail, path: UserPath, stem: string): Promise<string[]> {
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
    return [] // denied or not a folder: no subtitles there
  }
}

async function visibleNames(jail: Jail, folder: OpenPath): Promise<string[]> {
  const { address, real, path, spelled } = folder
  const folds = await foldsIn(folder)
  const mayShow = (each: string) => jail.allows(each as UserPath, folds)
  const names = await readShownNames(address, {
    secrets: secretsIn(real, jail.secret),
    hideDotfiles: false, // the jail hides dotfiles already
    allows: allowsIn(mayShow, { path: spelled, inside: path, folds }),
  })
  return names.sort()
}

function subtitles(folder: UserPath, names: string[]): string[] {
  return names.filter((name) => subtitleName.test(name)).map((name) => childOf(folder, name))
}
