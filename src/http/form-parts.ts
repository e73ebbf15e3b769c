import type { Multipart } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'

/** Other fields than `mtime` are ignored, but their names and first bytes stay in memory until the form ends. */
const fieldLimits = { fields: 250, fieldSize: 1024 }

/**
 * Yields the parts of a form (RFC 7578). The part after a file begins when its bytes have been read, or when the rest
 * of them fits into the buffer of its stream.
 *
 * @param how.files the maximum number of files. What the parser knows about each stays in memory until the form ends
 * @param how.preservesPath whether the name of a file may contain a path
 * @throws Problem `request.invalid` for a body that is not a form, is truncated, or has too many files.
 */
export async function* partsOf(
  request: FastifyRequest,
  { files, preservesPath }: { files: number; preservesPath: boolean },
): AsyncGenerator<Multipart> {
  requireBoundary(request)
  try {
    // Each file may have a field `mtime`.
    const fields = files + fieldLimits.fields
    const limits = {
      ...fieldLimits,
      files,
      fields,
      parts: files + fields,
      fileSize: Number.POSITIVE_INFINITY,
    }
    yield* request.parts({ limits, preservePath: preservesPath })
  } catch (error) {
    // The parser's own errors carry neither a code nor a status.
    const { code, statusCode } = error as { code?: string; statusCode?: number }
    const isTooMany = code === 'FST_FILES_LIMIT'
    if (!isTooMany && (code ?? statusCode)) throw error
    const reason = isTooMany ? `contains more than ${files} files` : 'is not a complete form'
    throw new Problem('request.invalid', { field: 'body', reason }, { cause: error })
  }
}

/** The text of a field `mtime`, which is the modification time of the next file; undefined for another field. */
export function modifiedOfField(part: Multipart): string | undefined {
  return part.type === 'field' && part.fieldname === 'mtime' ? String(part.value) : undefined
}

/** Rejects a form without a boundary (RFC 2046 §5.1.1), because the start of a file cannot be found. */
function requireBoundary({ headers }: FastifyRequest): void {
  if (/;\s*boundary=("[^"]+"|[^\s;"]+)/i.test(headers['content-type'] ?? '')) return
  throw new Problem('request.invalid', { field: 'content-type', reason: 'has no boundary' })
}
