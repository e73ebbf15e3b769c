import { ApiProblem, api, type OnOperation } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { ownTarget } from '#web/api/uploads/pieces.ts'
import { upload } from '#web/api/uploads/upload.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { freeName } from '#web/shared/names/free-name.ts'
import { session } from '#web/shared/session.ts'
import { storedUploadOf } from '#web/shared/uploads/resume-memory.ts'
import { deleteIncomplete, type IncompleteUpload, sendFile } from '#web/shared/uploads/send-file.ts'
import { isSameFile } from './compare-file.ts'
import { askAboutConflict } from './plan.ts'

/** One file or folder to upload. */
export interface UploadTask {
  /** The decoded target path; a folder's path ends with a slash. */
  path: string
  /** Undefined: creates a folder. */
  body: Blob | undefined
  /** What to do when the name is taken; undefined when no such file is known. */
  choice: Choice | undefined
  /** An earlier attempt ended without a response. The file may have arrived. */
  wasBroken: boolean
  /** Whether to upload in pieces, which the server keeps when the upload stops. */
  inPieces: boolean
  /** The abort reason is the new status of the job. */
  signal: AbortSignal
  onProgress(sent: number): void
  /** Called with the number of bytes that had arrived before. */
  onResume(sent: number): void
  /** Called with the id of the operation when the file or folder is there. */
  onOperation: OnOperation
}

/** Maximum number of names that are tried for “Keep both”. */
const maxCopies = 1000

/**
 * Uploads one file or folder. Asks the user if the name was taken in the meantime.
 *
 * @returns the final path; undefined when the file was skipped
 * @throws ApiProblem when the server rejects it.
 */
export async function uploadItem(delivery: UploadTask): Promise<string | undefined> {
  const { path, body, signal, onOperation } = delivery
  if (!body) {
    await api('POST /api/resources/*', { params: { '*': path }, query: {} }, { signal, onOperation })
    return path
  }
  if (!delivery.choice && (await uploaded(delivery, body, path))) return path
  if (delivery.wasBroken && (await isSameFile(path, body))) return path
  delivery.onProgress(0)
  const choice = delivery.choice ?? (await askAboutConflict(path, body))
  if (choice === 'skip') return undefined
  if (choice === 'keep') return keepBoth(delivery, body)
  await send(delivery, { path, body, override: true })
  return path
}

async function keepBoth(delivery: UploadTask, body: Blob): Promise<string> {
  for (let n = 1; n <= maxCopies; n++) {
    const path = freeName(delivery.path, n)
    if (await uploaded(delivery, body, path)) return path
  }
  throw new ApiProblem(409, 'path.exists', `${maxCopies} copies exist`)
}

/** Whether the upload succeeded; false when the name is taken, or another upload is using it. Throws any other error. */
async function uploaded(delivery: UploadTask, body: Blob, path: string): Promise<boolean> {
  try {
    await send(delivery, { path, body, override: false })
    return true
  } catch (error) {
    if (['path.exists', 'upload.running'].includes(codeOf(error))) return false
    throw error
  }
}

interface File {
  path: string
  body: Blob
  override: boolean
}

async function send(delivery: UploadTask, { path, body, override }: File): Promise<void> {
  const { signal, wasBroken, inPieces, onProgress, onResume, onOperation } = delivery
  const common = { body, signal, onProgress, onOperation }
  try {
    await sendFile({
      ...{ ...common, wasBroken, inPieces, onResume },
      ...incompleteUpload(path, body, override),
      sendWhole: () => upload({ ...common, path, override }),
    })
  } catch (error) {
    if (signal.reason === 'cancelled') await deleteIncompleteUpload(path, body)
    throw error
  }
}

function incompleteUpload(path: string, body: Blob, override: boolean): IncompleteUpload {
  const stored = storedUploadOf([session.user?.id, path, override], body)
  return { target: ownTarget(path, override), stored }
}

/** Deletes the bytes of a cancelled upload on the server. */
export function deleteIncompleteUpload(path: string, body: Blob): Promise<void> {
  return deleteIncomplete([true, false].map((override) => incompleteUpload(path, body, override)))
}
