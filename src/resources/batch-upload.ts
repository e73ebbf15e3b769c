import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { UploadResult } from '#contract/resources.ts'
import type { Actor } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { childOf, decodePath, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { receive } from '#src/files/receiving/receive.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import { createWritePrecondition } from '#src/http/conditions.ts'
import { asCut, partsOf } from '#src/http/form-parts.ts'
import { requestSignal } from '#src/http/limits/request-signal.ts'
import type { Resources } from './resources.ts'

/** Maximum number of files in one form. A client with more files sends another form. */
const mostFiles = 1000

/** Files of one form that are written at the same time, so that their flushes share the disk. */
const mostAtOnce = 16

/** How the files of a form are uploaded. */
interface BatchOptions {
  actor: Actor
  /** The folder to which the names in the form are relative. */
  folder: UserPath
  override: boolean
  /** The maximum size of one file, in bytes. */
  limit: number
}

/**
 * Uploads the files of a form, each as a request of its own would (contract/README.md#resources). The name of a file in
 * the form is its path relative to the folder, percent-encoded as in a URL. The conditions of the request apply to each
 * file. Small files are written while the next ones arrive.
 *
 * @returns the result for each file, in the order of the form
 * @throws Problem `request.invalid` for a form that is damaged or has no file, and the signal's reason. Files that were
 *   uploaded before stay.
 */
export async function uploadBatch(
  request: FastifyRequest,
  resources: Resources,
  { actor, folder, override, limit }: BatchOptions,
): Promise<UploadResult[]> {
  const signal = requestSignal(request)
  const results: Promise<UploadResult>[] = []
  const running = new Set<Promise<unknown>>()
  const paths = new Set<UserPath>()
  try {
    for await (const part of partsOf(request, { files: mostFiles, preservesPath: true })) {
      if (part.type !== 'file') continue
      const result = uploadPart(part)
      results.push(result)
      const ended: Promise<unknown> = result.catch(() => {}).finally(() => running.delete(ended))
      running.add(ended)
      if (running.size >= mostAtOnce) await Promise.race(running)
    }
  } finally {
    // Nothing may change after the operation has ended.
    await Promise.all(running)
  }
  signal.throwIfAborted()
  if (results.length === 0)
    throw new Problem('request.invalid', { field: 'body', reason: 'contains no file' })
  return Promise.all(results)

  async function uploadPart(part: MultipartFile): Promise<UploadResult> {
    const name = part.filename ?? ''
    try {
      const path = pathOf(folder, name)
      // They would be written at the same time, so that either could be the last.
      if (paths.has(path)) throw invalid('contains more than one file for one path')
      paths.add(path)
      const fill = (file: WritableFile) => receive(part.file, file, { path, limit, signal }).catch(asCut)
      const precondition = createWritePrecondition(request.headers, path)
      const etag = await resources.upload(actor, path, { fill, precondition, override })
      return { path: name, status: 200, etag }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const { status, code, message: detail } = error
      return { path: name, status, code, detail }
    } finally {
      part.file.resume()
    }
  }
}

/** The path of a file in the form. No `..` leaves the folder. @throws Problem `path.invalid`, `request.invalid`. */
function pathOf(folder: UserPath, name: string): UserPath {
  const { path, asFolder } = decodePath(name.startsWith('/') ? name : `/${name}`)
  if (path === rootPath || asFolder) throw invalid('contains a file without a name')
  return childOf(folder, path.slice(1))
}

function invalid(reason: string): Problem {
  return new Problem('request.invalid', { field: 'body', reason })
}
