import type { Multipart } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'

/**
 * Limits of one form. A client with more files sends another form. Fields are ignored, but their names and first
 * bytes stay in memory until the form ends.
 */
const formLimits = {
  files: 10_000,
  fields: 250,
  fieldSize: 1024,
  parts: 10_250,
  fileSize: Number.POSITIVE_INFINITY,
}

/**
 * Yields the parts of a form (RFC 7578). The part after a file begins when its bytes have been read, or when the rest
 * of them fits into the buffer of its stream.
 *
 * @param preservesPath whether the name of a file may contain a path
 * @throws Problem `request.invalid` for a body that is not a form or is truncated.
 */
export async function* partsOf(
  request: FastifyRequest,
  { preservesPath }: { preservesPath: boolean },
): AsyncGenerator<Multipart> {
  requireBoundary(request)
  try {
    yield* request.parts({ limits: formLimits, preservePath: preservesPath })
  } catch (error) {
    // The parser's own errors carry neither a code nor a status.
    const { code, statusCode } = error as { code?: string; statusCode?: number }
    if (code ?? statusCode) throw error
    throw new Problem(
      'request.invalid',
      { field: 'body', reason: 'is not a complete form' },
      { cause: error },
    )
  }
}

/** Rejects a form without a boundary (RFC 2046 §5.1.1), because the start of a file cannot be found. */
function requireBoundary({ headers }: FastifyRequest): void {
  if (/;\s*boundary=("[^"]+"|[^\s;"]+)/i.test(headers['content-type'] ?? '')) return
  throw new Problem('request.invalid', { field: 'content-type', reason: 'has no boundary' })
}

/**
 * Turns any error without a code into `request.cut`. Errors of the disk are Problems already, so it is a truncated
 * form.
 */
export function asCut(error: unknown): never {
  throw error instanceof Problem ? error : new Problem('request.cut', {}, { cause: error })
}
