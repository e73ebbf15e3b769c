import type { Endpoint } from '#contract/schema/endpoint.ts'
import type { EndpointNote } from './notes/note.ts'
import { type JsonSchema, schemaOf } from './schemas.ts'
import type { ApiResponse, Content } from './shapes.ts'

const text: JsonSchema = { type: 'string' }
const renewHeader = {
  'X-Renew-Token': { description: '`true` if the client should renew the token', schema: text },
}
const etagHeader = { ETag: { description: 'The version of the file, for `If-Match`', schema: text } }

const uploadHeaders = {
  'Upload-Id': { description: 'The id of the upload', schema: text },
  'Upload-Offset': { description: 'The number of received bytes', schema: text },
  'Upload-Length': { description: 'The size of the whole file in bytes', schema: text },
}

const fileHeaders = {
  ETag: etagHeader.ETag,
  'Last-Modified': { description: 'The time of the last change of the file', schema: text },
  'Content-Disposition': {
    description: 'The name of the file; `inline` if the request has `inline=true`',
    schema: text,
  },
}

const kinds: Readonly<Record<NonNullable<EndpointNote['response']>, Readonly<Record<string, ApiResponse>>>> =
  {
    done: { 200: { description: 'Done', content: plain('200 OK\n') } },
    saved: { 200: { description: 'Saved', headers: etagHeader, content: plain('200 OK\n') } },
    begun: {
      201: {
        description: 'Started',
        headers: {
          Location: { description: 'The URL for the pieces, with the base path', schema: text },
          ...uploadHeaders,
        },
        content: plain('201 Created\n'),
      },
    },
    progress: { 200: { description: 'The progress', headers: uploadHeaders, content: plain('') } },
    taken: {
      204: {
        description: 'Received; after the last piece, with the `ETag` of the file',
        headers: uploadHeaders,
      },
    },
    nothing: { 204: { description: 'Done' } },
    created: {
      201: {
        description: 'Created',
        headers: {
          Location: { description: 'The URL of the page of the user, without the base path', schema: text },
        },
        content: plain('201 Created\n'),
      },
    },
    token: { 200: { description: 'The token', content: plain('eyJhbGciOi….eyJ1c2VyIj….k3Jx2Yt…') } },
    bytes: {
      200: { description: 'The file, or an archive', headers: fileHeaders, content: { '*/*': {} } },
      206: { description: 'The requested ranges', headers: fileHeaders, content: { '*/*': {} } },
      304: { description: 'The file has not changed' },
    },
    generated: { 200: { description: 'A file of the preview', content: { '*/*': {} } } },
    picture: {
      200: { description: 'The preview', headers: etagHeader, content: { '*/*': {} } },
      304: { description: 'The image has not changed' },
    },
    subtitle: { 200: { description: 'WebVTT', content: { 'text/vtt': { schema: text } } } },
    socket: { 101: { description: 'The socket is open' } },
    document: {
      200: { description: 'This document', content: { 'application/json': { schema: { type: 'object' } } } },
    },
    events: {
      200: {
        description: 'The events, until either side closes the connection',
        content: {
          'text/event-stream': { schema: text, example: 'event: hello\ndata: {"id":"k3Jx2Yt"}\n\n' },
        },
      },
    },
    lines: { 200: { description: 'Five lines', content: plain('1\n2\n3\n4\n5\n') } },
    records: {
      200: {
        description: 'The records, the oldest first',
        content: { 'text/csv': { schema: text }, 'application/x-ndjson': { schema: { type: 'object' } } },
      },
    },
    page: { 200: { description: 'This document as HTML', content: { 'text/html': { schema: text } } } },
  }

/** The success responses of an endpoint, by status. */
export function responsesOf(
  endpoint: Endpoint,
  { name, response: answer }: EndpointNote,
): Record<string, ApiResponse> {
  const answers = answer
    ? kinds[answer]
    : json(endpoint, { isStreamed: streamed.includes(name), isFile: name === 'look' })
  if (endpoint.access === 'public') return { ...answers }
  return Object.fromEntries(
    Object.entries(answers).map(([status, one]) => [
      status,
      { ...one, headers: { ...one.headers, ...renewHeader } },
    ]),
  )
}

/** Endpoints that can return one object per line. */
const streamed = ['search', 'listTree']

function json(
  { reply }: Endpoint,
  { isStreamed, isFile }: { isStreamed: boolean; isFile: boolean },
): Record<string, ApiResponse> {
  const schema = reply ? schemaOf(reply) : { type: 'object' }
  const item = (schema as { items?: JsonSchema }).items ?? {}
  const text = { 'application/octet-stream': {} }
  const lines = { 'application/x-ndjson': { schema: item } }
  return {
    200: {
      description: 'OK',
      content: { 'application/json': { schema }, ...(isStreamed && lines), ...(isFile && text) },
    },
    ...(isFile && { 304: { description: 'The file has not changed' } }),
  }
}

function plain(example: string): Content {
  return { 'text/plain': { schema: text, example } }
}
