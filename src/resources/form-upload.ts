import type { FileHandle } from 'node:fs/promises'
import type { Multipart, MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { childOf, nameOf, type TypedPath, typedPath, type UserPath } from '#src/files/paths/user-path.ts'
import { receive } from '#src/files/writing/receive.ts'
import { writeCondition } from '#src/http/conditions.ts'
import { requestSignal } from '#src/http/limits/request-signal.ts'
import type { Resources } from './resources.ts'

/**
 * A form may carry this many files and fields; whoever has more sends another. Fields mean nothing here, and their names
 * and first bytes stay in memory until the form ends.
 */
const most = {
  files: 10_000,
  fields: 250,
  fieldSize: 1024,
  parts: 10_250,
  fileSize: Number.POSITIVE_INFINITY,
}

/**
 * Uploads the files of a form (RFC 7578), as `curl -F file=@x` sends them: into a folder under their own names, or one
 * file to the path itself. A condition of the request is asked of each. Files before one that is refused stay.
 *
 * @returns the etag of the file; undefined when there were several
 * @throws Problem `request.invalid` for a form without a file, a file without a name, a second file for one path.
 */
export async function uploadForm(
  request: FastifyRequest,
  resources: Resources,
  { actor, typed, override, limit }: { actor: Actor; typed: TypedPath; override: boolean; limit: number },
): Promise<string | undefined> {
  refuseBoundless(request)
  const signal = requestSignal(request)
  let count = 0
  let etag: string | undefined
  for await (const part of partsOf(request)) {
    if (part.type !== 'file') continue
    if (++count > 1 && !typed.asFolder) {
      throw new Problem('request.invalid', { field: 'body', reason: 'has more than one file for one path' })
    }
    const path = typed.asFolder ? childOf(typed.path, fileName(part)) : typed.path
    const fill = (file: FileHandle) => receive(part.file, file, { path, limit, signal }).catch(asCut)
    const expects = writeCondition(request.headers, path)
    etag = await resources.upload(actor, path, { fill, expects, override }).finally(() => part.file.resume())
  }
  if (count === 0) throw new Problem('request.invalid', { field: 'body', reason: 'has no file' })
  return count === 1 ? etag : undefined
}

/** @throws Problem `request.invalid` for a body that is no form, or ends in the middle of one. */
async function* partsOf(request: FastifyRequest): AsyncGenerator<Multipart> {
  try {
    yield* request.parts({ limits: most })
  } catch (error) {
    // The parser's own errors carry neither a code nor a status.
    const { code, statusCode } = error as { code?: string; statusCode?: number }
    if (code ?? statusCode) throw error
    throw new Problem('request.invalid', { field: 'body', reason: 'is not a whole form' }, { cause: error })
  }
}

/** Without a boundary (RFC 2046 §5.1.1) nobody knows where a file begins. */
function refuseBoundless({ headers }: FastifyRequest): void {
  if (/;\s*boundary=("[^"]+"|[^\s;"]+)/i.test(headers['content-type'] ?? '')) return
  throw new Problem('request.invalid', { field: 'content-type', reason: 'has no boundary' })
}

/** What the disk refuses has become a Problem; else it is the form that ends in the middle, which has no code to tell. */
function asCut(error: unknown): never {
  throw error instanceof Problem ? error : new Problem('request.cut', {}, { cause: error })
}

/** The last name of what the form says: some browsers send whole paths of the machine they run on. */
function fileName({ filename }: MultipartFile): string {
  const { path } = typedPath(filename ?? '')
  const name = nameOf(path as UserPath)
  if (!name) throw new Problem('request.invalid', { field: 'body', reason: 'has a file without a name' })
  return name
}
