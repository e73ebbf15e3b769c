import type { Readable } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { UploadResult } from '#contract/resources.ts'
import type { Actor } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import type { Entries } from '#src/entries/entries.ts'
import {
  childOf,
  decodePath,
  type NormalizedPath,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { collectSmall } from '#src/files/receiving/receive.ts'
import { modifiedOfField, partsOf } from '#src/http/form-parts.ts'
import { requestSignal } from '#src/http/limits.ts'
import { createWritePrecondition, parseModified } from '#src/http/request-headers.ts'

/**
 * Maximum number of files in one form. A client with more files sends another form. The parser may keep 64 KiB of a long
 * file in memory for each short file before it.
 */
const mostFiles = 100

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
 * the form is its path relative to the folder, percent-encoded as in a URL. An empty file whose name ends with a slash is a
 * folder. A field `mtime` before a file is its modification time, in milliseconds since 1970. The conditions of the request
 * apply to each file. Small files are written while the next ones arrive, and users take turns, however many forms one of
 * them sends.
 *
 * @returns the result for each file, in the order of the form
 * @throws Problem `request.invalid` for a form that is damaged or has no file, and the signal's reason. Files that were
 *   uploaded before stay.
 */
export async function uploadBatch(
  request: FastifyRequest,
  entries: Entries,
  { actor, folder, override, limit }: BatchOptions,
): Promise<UploadResult[]> {
  const signal = requestSignal(request)
  const { formFiles } = request.server.services.limits
  const results: Promise<UploadResult>[] = []
  const running = new Set<Promise<unknown>>()
  const paths = new Set<UserPath>()
  let modified: string | undefined
  try {
    for await (const part of partsOf(request, { files: mostFiles, preservesPath: true })) {
      signal.throwIfAborted()
      if (part.type !== 'file') {
        modified = modifiedOfField(part) ?? modified
        continue
      }
      const result = uploadPart(part, modified)
      modified = undefined
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

  async function uploadPart(part: MultipartFile, modified: string | undefined): Promise<UploadResult> {
    const path = part.filename ?? ''
    try {
      const etag = await uploadOne(part, modified)
      return { path, status: 200, ...(etag && { etag }) }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const { status, code, message: detail } = error
      return { path, status, code, detail }
    } finally {
      part.file.resume()
    }
  }

  /** Returns the etag; undefined for a folder. */
  async function uploadOne(
    { filename, file: body }: MultipartFile,
    modified: string | undefined,
  ): Promise<string | undefined> {
    signal.throwIfAborted()
    const { path, asFolder } = pathOf(folder, filename ?? '')
    // They would be written at the same time, so that either could be the last.
    if (paths.has(path)) throw invalid('contains more than one file for one path')
    paths.add(path)
    // A turn begins when everything has arrived: a slow client does not keep the others of its user waiting.
    const turn = () => formFiles.acquire(actor.quotaOwner.key, { recheck: () => actor.check([path]), signal })
    if (asFolder) {
      if (await hasBytes(body)) throw invalid('contains a folder with content')
      using _turn = await turn()
      await entries.makeFolder(actor, path, { signal })
      return undefined
    }
    const mtime = parseModified('mtime', modified, 1)
    using content = await collectSmall(body, { signal })
    using _turn = content && (await turn())
    const source = { stream: content ?? body, size: content?.bytes, mtime }
    const precondition = createWritePrecondition(request.headers, path)
    return await entries.upload(actor, path, { source, limit, signal, precondition, override })
  }
}

/** The path of a file in the form. No `..` leaves the folder. @throws Problem `path.invalid`, `request.invalid`. */
function pathOf(folder: UserPath, name: string): NormalizedPath {
  const { path, asFolder } = decodePath(name.startsWith('/') ? name : `/${name}`)
  if (path === rootPath) throw invalid('contains a file without a name')
  return { path: childOf(folder, path.slice(1)), asFolder }
}

/** Reads the whole body: the parser would end the form if a body was left early. */
async function hasBytes(body: Readable): Promise<boolean> {
  let bytes = 0
  for await (const piece of body) bytes += piece.length
  return bytes > 0
}

function invalid(reason: string): Problem {
  return new Problem('request.invalid', { field: 'body', reason })
}
