import mime from 'mime'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import { extensionOf } from './entry.ts'

// Extensions whose registered type is not the usual one: `.ts` is TypeScript here, not an MPEG transport stream.
const overrides = new Map<string, string>(
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

// Types application/… that are text.
const textual =
  /^application\/(json5?|javascript|ecmascript|xml|x-sh|x-csh|x-tex|x-subrip|sql|toml|yaml|rtf|x-httpd-php|x-perl|typescript|graphql|ld\+json|manifest\+json)$|[+/](json|xml|yaml)$/
// Types that are never text, so that the file need not be opened.
const binary =
  /^(font|model|chemical)\/|^application\/(octet-stream|zip|gzip|java-archive|wasm|msword|vnd\.|x-(7z|rar|bzip|xz|tar|iso|msdownload|executable|sqlite|shockwave|font|apple-diskimage|debian|rpm))/

/** The media type of a name by its extension; undefined when the extension is unknown. */
export function mediaType(name: string): string | undefined {
  const extension = extensionOf(name).slice(1).toLowerCase()
  // `mime` treats a bare word as an extension: a file called `json` has none.
  return overrides.get(extension) || (extension && mime.getType(extension)) || undefined
}

// A cache: a large folder has many files and few extensions.
const cache = new Map<string, ResourceType | undefined>()
const maxCached = 1000

/** The type of a file according to its name; undefined when it depends on the first bytes. */
export function typeByName(name: string): ResourceType | undefined {
  const extension = extensionOf(name)
  if (cache.has(extension)) return cache.get(extension)
  const type = resourceType(mediaType(name))
  if (cache.size >= maxCached) cache.clear()
  cache.set(extension, type)
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

/** Matches names of subtitle files, in any case. */
export const subtitleName = /\.(vtt|srt|ass|ssa)$/i

/** The maximum size of a text file, in bytes (contract/compatibility.md#listings-and-files). */
export const maxTextBytes = 10 * 1024 * 1024

/** The number of bytes of the beginning of a file that `looksBinary` needs. */
export const sampleBytes = 512

/**
 * Whether a file that begins with `sample` is binary: it has a code point up to 8, or bytes that are not UTF-8,
 * except for a character that is cut off by the end of the sample (contract/compatibility.md#listings-and-files).
 */
export function looksBinary(sample: Uint8Array): boolean {
  if (sample.some((byte) => byte <= 8)) return true
  try {
    // With `stream`, the decoder accepts a character that is cut off at the end.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: sample.length >= sampleBytes })
    return false
  } catch {
    return true // the decoder throws only for invalid UTF-8
  }
}
