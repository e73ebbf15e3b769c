import type { ResourceType } from '#contract/schema/resource-path.ts'
import { ownEntry } from '../format/entry-of.ts'

export type Kind =
  | 'folder'
  | 'image'
  | 'video'
  | 'audio'
  | 'text'
  | 'code'
  | 'document'
  | 'pdf'
  | 'sheet'
  | 'slides'
  | 'archive'
  | 'font'
  | 'book'
  | 'disk'
  | 'database'
  | 'program'
  | 'calendar'
  | 'contact'
  | 'key'
  | 'link'
  | 'other'

const byType: Partial<Record<ResourceType, Kind>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  pdf: 'pdf',
  text: 'text',
  textImmutable: 'text',
  invalid_link: 'link',
}

/** The endings of each kind, as parts of a regular expression. */
const endings: readonly [Kind, string][] = [
  ['archive', 'zip|tar|[bt]?gz|t?[bx]z2?|zst|lz4|sz|br|7z|rar'],
  ['sheet', 'csv|tsv|xls[xm]?|ods|numbers'],
  ['pdf', 'pdf'],
  ['image', 'hei[cf]|avif|psd|raw|cr2|nef|dng'],
  ['document', 'docx?|odt|rtf|pages'],
  ['slides', 'pptx?|odp'],
  ['font', '[ot]tf|ttc|woff2?'],
  ['book', 'epub|mobi|azw3?'],
  ['disk', 'iso|dmg|img|vmdk|vdi|qcow2|vhdx?'],
  ['database', 'db|db3|sqlite3?|mdb|accdb'],
  ['program', 'exe|msi|deb|rpm|apk|jar|appimage'],
  ['calendar', 'ics'],
  ['contact', 'vcf'],
  ['key', 'key|pem|crt|cer|p12|pfx|pub|gpg|asc|kdbx'],
  [
    'code',
    '[cm]?[jt]sx?|json|ya?ml|toml|xml|html?|s?css|sh|py|rb|go|rs|java|kt|c|h|cpp|cs|php|sql|lua|pl|swift|vue',
  ],
]

const patterns = endings.map(([kind, part]) => [kind, RegExp(`\\.(${part})$`, 'i')] as const)

/** The kind of a file, which selects its icon. */
export function fileKindOf(name: string, isDir: boolean, type: ResourceType): Kind {
  if (isDir) return 'folder'
  if (type === 'invalid_link') return 'link'
  return patterns.find(([, pattern]) => pattern.test(name))?.[0] ?? ownEntry(byType, type) ?? 'other'
}
