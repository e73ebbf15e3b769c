import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import type { Entries } from '#src/entries/entries.ts'
import {
  childOf,
  type NormalizedPath,
  nameOf,
  normalizePath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { modifiedOfField, partsOf } from '#src/http/form-parts.ts'
import { requestSignal } from '#src/http/limits.ts'
import { createWritePrecondition, modifiedOfHeaders, parseModified } from '#src/http/request-headers.ts'

/** Maximum number of files in one form. A client with more files sends another form. */
const mostFiles = 10_000

/**
 * Uploads the files of a form (RFC 7578), as `curl -F file=@x` sends them: into a folder under their own names, or
 * one file to the path itself. The conditions of the request apply to each file. A field `mtime` before a file is its
 * modification time, in milliseconds since 1970. If a file is refused, the files before it stay.
 *
 * @returns the etag of the file; undefined if there were several files
 * @throws Problem `request.invalid` for a form without a file, a file without a name, or a second file for one path.
 */
export async function uploadForm(
  request: FastifyRequest,
  entries: Entries,
  {
    actor,
    typed,
    override,
    limit,
  }: { actor: Actor; typed: NormalizedPath; override: boolean; limit: number },
): Promise<string | undefined> {
  const signal = requestSignal(request)
  let count = 0
  let etag: string | undefined
  let modified: string | undefined
  for await (const part of partsOf(request, { files: mostFiles, preservesPath: false })) {
    if (part.type !== 'file') {
      modified = modifiedOfField(part) ?? modified
      continue
    }
    if (++count > 1 && !typed.asFolder) {
      throw new Problem('request.invalid', {
        field: 'body',
        reason: 'contains more than one file for one path',
      })
    }
    const path = typed.asFolder ? childOf(typed.path, fileName(part)) : typed.path
    const precondition = createWritePrecondition(request.headers, path)
    const mtime = parseModified('mtime', modified, 1) ?? modifiedOfHeaders(request.headers)
    modified = undefined
    const source = { stream: part.file, mtime }
    etag = await entries
      .upload(actor, path, { source, limit, signal, precondition, override })
      .finally(() => part.file.resume())
  }
  if (count === 0) throw new Problem('request.invalid', { field: 'body', reason: 'contains no file' })
  return count === 1 ? etag : undefined
}

/** Returns the last name of the file's path. Some browsers send the whole path on the client's machine. */
function fileName({ filename }: MultipartFile): string {
  const { path } = normalizePath(filename ?? '')
  const name = nameOf(path as UserPath)
  if (!name) throw new Problem('request.invalid', { field: 'body', reason: 'contains a file without a name' })
  return name
}
