import { ApiProblem, api } from '#web/api/client.ts'
import { halve, pieceSize } from '#web/api/piece-size.ts'
import { giveUp, isTooLarge, uploadInPieces } from '#web/api/pieces.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { upload } from '#web/api/upload.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { page } from '#web/shared/page.ts'
import { isSameFile } from './compare-file.ts'
import { freeName } from './free-name.ts'
import { decide } from './plan.ts'
import { memoryOf } from './resume-memory.ts'

/** One thing to bring to the server. */
export interface Delivery {
  /** Decoded; a folder's ends with a slash. */
  path: string
  /** Absent: a folder is to be made. */
  body: Blob | undefined
  /** What to do when the name is taken; undefined: nothing is known to be there. */
  choice: Choice | undefined
  /** It was being sent before, and the answer never came: it may have arrived all the same. */
  wasBroken: boolean
  /** Whether it goes in pieces, of which the server keeps what has come. */
  inPieces: boolean
  /** Its reason is what becomes of the job. */
  signal: AbortSignal
  onProgress(sent: number): void
  /** Told how many bytes had come before. */
  onResume(sent: number): void
}

/** How many names are tried before keeping both is given up. */
const mostCopies = 1000

/**
 * Brings one file or folder to the server. A name that was taken meanwhile is asked about.
 *
 * @returns where it is now; undefined when it was left out
 * @throws ApiProblem what the server refuses.
 */
export async function deliver(delivery: Delivery): Promise<string | undefined> {
  const { path, body, signal } = delivery
  if (!body) {
    await api('POST /api/resources/*', { params: { '*': path }, query: {} }, { signal })
    return path
  }
  if (!delivery.choice && (await arrived(delivery, body, path))) return path
  if (delivery.wasBroken && (await isSameFile(path, body))) return path
  delivery.onProgress(0)
  const choice = delivery.choice ?? (await decide(path, body))
  if (choice === 'skip') return undefined
  if (choice === 'keep') return keepBoth(delivery, body)
  await bring(delivery, { path, body, override: true })
  return path
}

async function keepBoth(delivery: Delivery, body: Blob): Promise<string> {
  for (let n = 1; n <= mostCopies; n++) {
    const path = freeName(delivery.path, n)
    if (await arrived(delivery, body, path)) return path
  }
  throw new ApiProblem(409, 'path.exists', `${mostCopies} copies exist`)
}

/** Whether the upload went through; false when the name is taken. Any other refusal is thrown on. */
async function arrived(delivery: Delivery, body: Blob, path: string): Promise<boolean> {
  try {
    await bring(delivery, { path, body, override: false })
    return true
  } catch (error) {
    if (codeOf(error) === 'path.exists') return false
    throw error
  }
}

interface File {
  path: string
  body: Blob
  override: boolean
}

async function bring(delivery: Delivery, file: File): Promise<void> {
  const { signal, onProgress } = delivery
  const { chunkSize } = page.TusSettings
  // Where a proxy refuses large bodies, all that is larger goes in pieces.
  const isRefused = pieceSize(chunkSize) < chunkSize && file.body.size > pieceSize(chunkSize)
  if (delivery.inPieces || isRefused) return bringInPieces(delivery, file)
  try {
    await upload({ ...file, signal, onProgress })
  } catch (error) {
    // If the server's own limit refused the file, it refuses the upload in pieces before any data is sent.
    if (!isTooLarge(error) || !halve(Math.min(file.body.size, 2 * chunkSize))) throw error
    onProgress(0)
    await bringInPieces(delivery, file)
  }
}

async function bringInPieces(
  { signal, onProgress, onResume }: Delivery,
  { path, body, override }: File,
): Promise<void> {
  const { id: known, note: onKnown } = memoryOf(path, body, override)
  const { chunkSize } = page.TusSettings
  try {
    await uploadInPieces({ path, body, override, signal, onProgress, onResume, chunkSize, known, onKnown })
  } catch (error) {
    if (signal.reason === 'cancelled') await abandon(path, body)
    throw error
  }
}

/** Lets the server throw away what has come of a file that nobody wants any more. */
export async function abandon(path: string, body: Blob): Promise<void> {
  const known = [true, false].map((override) => memoryOf(path, body, override)).filter(({ id }) => id)
  for (const { note } of known) note(undefined)
  if (known.length > 0) await giveUp(path)
}
