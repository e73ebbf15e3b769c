import mime from 'mime'
import type { ResourceType } from '#contract/resources.ts'
import { extensionOf } from './entry.ts'

// Where the registered type of an extension is not what people mean by it: TypeScript is no MPEG transport stream.
const ours = new Map<string, string>(
  Object.entries({
    ts: 'text/typescript',
    mts: 'text/typescript',
    cts: 'text/typescript',
    tsx: 'text/tsx',
    jsx: 'text/jsx',
    vtt: 'text/vtt',
    srt: 'text/plain',
    ass: 'text/plain',
    ssa: 'text/plain',
    log: 'text/plain',
    mka: 'audio/x-matroska',
    flac: 'audio/flac',
  }),
)

// application/… that is text all the same.
const textual =
  /^application\/(json5?|javascript|ecmascript|xml|x-sh|x-csh|x-tex|x-subrip|sql|toml|yaml|rtf|x-httpd-php|x-perl|typescript|graphql|ld\+json|manifest\+json)$|[+/](json|xml|yaml)$/
// application/… that is never text, so that no file need be opened to know.
const binary =
  /^(font|model|chemical)\/|^application\/(octet-stream|zip|gzip|java-archive|wasm|msword|vnd\.|x-(7z|rar|bzip|xz|tar|iso|msdownload|executable|sqlite|shockwave|font|apple-diskimage|debian|rpm))/

/** The media type of a name by its extension; undefined when the extension is unknown. */
export function mediaType(name: string): string | undefined {
  const extension = extensionOf(name).slice(1).toLowerCase()
  // Asked about a bare word, `mime` takes it for an extension: a file called `json` has none.
  return ours.get(extension) || (extension && mime.getType(extension)) || undefined
}

// A large folder has many files and few extensions.
const known = new Map<string, ResourceType | undefined>()
const mostKnown = 1000

/** What a name alone tells of a file's type; undefined when its first bytes must decide. */
export function typeByName(name: string): ResourceType | undefined {
  const extension = extensionOf(name)
  if (known.has(extension)) return known.get(extension)
  const type = resourceType(mediaType(name))
  if (known.size >= mostKnown) known.clear()
  known.set(extension, type)
  return type
}

function resourceType(type: string | undefined): ResourceType | undefined {
  if (!type) return undefined
  if (type === 'application/pdf') return 'pdf'
  const [, kind] = /^(image|audio|video)\//.exec(type) ?? []
  if (kind) return kind as ResourceType
  if (type.startsWith('text/') || textual.test(type)) return 'text'
  return binary.test(type) ? 'blob' : undefined
}

/** Names of subtitle files, whatever their case. */
export const subtitleName = /\.(vtt|srt|ass|ssa)$/i

/** Files up to this size may be text (contract/compatibility.md#listings-and-files), in bytes. */
export const mostText = 10 * 1024 * 1024

/** How many first bytes of a file `looksBinary` wants. */
export const sampleSize = 512

/**
 * Whether a file that begins with `sample` is no text: a code point up to 8, or bytes that are no UTF-8, except for a
 * character cut off by the end of the sample (contract/compatibility.md#listings-and-files).
 */
export function looksBinary(sample: Uint8Array): boolean {
  if (sample.some((byte) => byte <= 8)) return true
  try {
    // `stream` leaves a character that the end cuts off for a later call, that is: forgives it.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: sample.length >= sampleSize })
    return false
  } catch {
    return true // the decoder throws for exactly one reason: this is not UTF-8
  }
}
