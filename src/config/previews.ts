import type { Option } from './option.ts'
import { booleanSwitch, text } from './parsers.ts'

/** Options for previews. */
export const previewOptions: readonly Option[] = [
  {
    key: 'cacheDir',
    flag: 'cache-dir',
    value: 'FOLDER',
    defaultDescription: 'the folder cache in the one beside the database',
    parser: text,
    description: 'A folder for thumbnails and other things that may be deleted at any time.',
    fileBrowserNames: ['cache-dir'],
  },
  {
    key: 'disableThumbnails',
    flag: 'disable-thumbnails',
    default: 'false',
    parser: booleanSwitch,
    description: 'Makes no thumbnails of pictures; the mosaic shows icons.',
    fileBrowserNames: ['disable-thumbnails'],
  },
  {
    key: 'disablePreviewResize',
    flag: 'disable-preview-resize',
    default: 'false',
    parser: booleanSwitch,
    description: 'Makes no smaller pictures to look at while a large one is on its way.',
    fileBrowserNames: ['disable-preview-resize'],
  },
]
