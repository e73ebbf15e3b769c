import type { IncomingHttpHeaders } from 'node:http'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { parseModified } from '#src/http/request-headers.ts'

// The parts of the protocol tus (https://tus.io/protocols/resumable-upload) that the uploads in pieces support.

const version = '1.0.0'

/** The headers of every response. */
export const protocolHeaders = { 'tus-resumable': version }

/**
 * The headers that say what is supported.
 *
 * @param maxUpload the maximum size of a file, in bytes; infinite: no limit
 */
export function supportedExtensions(maxUpload: number): Record<string, string> {
  return {
    'tus-version': version,
    'tus-extension': 'creation,expiration,termination',
    ...(Number.isSafeInteger(maxUpload) && { 'tus-max-size': String(maxUpload) }),
  }
}

/**
 * Headers by which a client asks for something that is not supported. A server that ignores them leaves something else on
 * the disk than the client has sent: one part of a parallel upload, or content with a wrong checksum.
 */
const unsupported = [
  'upload-concat',
  'upload-defer-length',
  'upload-checksum',
  // The successor of tus, an Internet-Draft (draft-ietf-httpbis-resumable-upload).
  'upload-draft-interop-version',
  'upload-complete',
  'upload-incomplete',
]

/** @throws Problem `request.invalid` for an extension or a version of the protocol that is not supported. */
export function refuseExtensions(headers: IncomingHttpHeaders): void {
  const field = unsupported.find((name) => entryOf(headers, name) !== undefined)
  if (field) throw new Problem('request.invalid', { field, reason: 'is not supported' })
  const asked = headers['tus-resumable']
  if (asked !== undefined && asked !== version)
    throw new Problem('request.invalid', { field: 'tus-resumable', reason: `must be ${version}` })
}

/**
 * The modification time of the file in `Upload-Metadata`, as `mtime` in milliseconds since 1970
 * (contract/README.md#resources). Other keys are ignored: the path of the request is the name.
 *
 * @returns milliseconds since 1970; undefined when there is none
 * @throws Problem `request.invalid`.
 */
export function modifiedInMetadata(headers: IncomingHttpHeaders): number | undefined {
  const name = 'upload-metadata'
  const text = headers[name]
  if (typeof text !== 'string') return undefined
  const pair = text.split(',').find((one) => /^\s*mtime(\s|$)/.test(one))
  const [, value = ''] = pair?.trim().split(/\s+/) ?? []
  return pair === undefined ? undefined : parseModified(name, Buffer.from(value, 'base64').toString(), 1)
}
