import type { ResourceType } from '#contract/schema/resource-path.ts'

const endings: readonly (readonly [ResourceType, RegExp])[] = [
  ['image', /\.(jpe?g|png|gif|webp|svg|bmp|tiff?|ico)$/i],
  ['audio', /\.(mp3|flac|ogg|opus|m4a|aac|wav|wma|aiff?)$/i],
  ['video', /\.(mp4|m4v|mkv|webm|mov|avi|wmv|mpe?g|ogv)$/i],
  ['text', /\.(txt|md|log|ini|conf|srt|vtt)$/i],
]

/** The type for the icon, by the file extension: search results contain no type. */
export function typeByName(name: string): ResourceType {
  return endings.find(([, pattern]) => pattern.test(name))?.[0] ?? 'blob'
}
