import {
  Archive,
  File,
  FileCode,
  FileText,
  Film,
  Folder,
  Image,
  type LucideIcon,
  Music,
  Sheet,
  Unlink,
} from 'lucide-react'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import styles from './file-icon.module.css'
import { ownEntry } from './format/entry-of.ts'

type Kind =
  | 'folder'
  | 'image'
  | 'video'
  | 'audio'
  | 'text'
  | 'code'
  | 'pdf'
  | 'archive'
  | 'sheet'
  | 'link'
  | 'other'

const icons: Record<Kind, LucideIcon> = {
  folder: Folder,
  image: Image,
  video: Film,
  audio: Music,
  text: FileText,
  code: FileCode,
  pdf: FileText,
  archive: Archive,
  sheet: Sheet,
  link: Unlink,
  other: File,
}

const byType: Partial<Record<ResourceType, Kind>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  pdf: 'pdf',
  text: 'text',
  textImmutable: 'text',
  invalid_link: 'link',
}

const endings: [Kind, RegExp][] = [
  ['archive', /\.(zip|tar|t?gz|tgz|bz2|t?xz|zst|lz4|sz|br|7z|rar|iso|jar|deb|rpm|dmg)$/i],
  ['sheet', /\.(csv|tsv|xlsx?|ods|numbers)$/i],
  ['pdf', /\.pdf$/i],
  ['image', /\.(heic|heif|avif|psd|raw|cr2|nef|dng)$/i],
  ['text', /\.(docx?|odt|rtf|pages|epub|mobi)$/i],
  [
    'code',
    /\.([cm]?[jt]sx?|json|ya?ml|toml|xml|html?|s?css|sh|py|rb|go|rs|java|kt|c|h|cpp|cs|php|sql|lua|pl|swift|vue)$/i,
  ],
]

/** The kind of a file, which selects its icon. */
export function fileKindOf(name: string, isDir: boolean, type: ResourceType): Kind {
  if (isDir) return 'folder'
  if (type === 'invalid_link') return 'link'
  return endings.find(([, pattern]) => pattern.test(name))?.[0] ?? ownEntry(byType, type) ?? 'other'
}

interface FileIconProps {
  name: string
  isDir: boolean
  type: ResourceType
  /** Pixels. */
  size?: number
}

/** The icon of a file's kind. Hidden from screen readers, because it adds nothing to the name. */
export function FileIcon({ name, isDir, type, size = 20 }: FileIconProps) {
  const kind = fileKindOf(name, isDir, type)
  const Icon = icons[kind]
  return <Icon className={`${styles.icon} ${styles[kind]}`} size={size} strokeWidth={1.6} aria-hidden />
}
