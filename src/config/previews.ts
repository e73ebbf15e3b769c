import type { Option } from './option.ts'
import { switched, text } from './parsers.ts'

/** Options for previews. */
export const previewOptions: readonly Option[] = [
  {
    key: 'cacheDir',
    flag: 'cache-dir',
    value: 'FOLDER',
    otherwise: 'the folder cache in the one beside the database',
    read: text,
    sentence: 'A folder for thumbnails and other things that may be deleted at any time.',
    inherited: ['cache-dir'],
  },
  {
    key: 'disableThumbnails',
    flag: 'disable-thumbnails',
    default: 'false',
    read: switched,
    sentence: 'Makes no thumbnails of pictures; the mosaic shows icons.',
    inherited: ['disable-thumbnails'],
  },
  {
    key: 'disablePreviewResize',
    flag: 'disable-preview-resize',
    default: 'false',
    read: switched,
    sentence: 'Makes no smaller pictures to look at while a large one is on its way.',
    inherited: ['disable-preview-resize'],
  },
]
