import type { Option } from './option.ts'
import { booleanSwitch, text } from './parsers.ts'

/** Options for previews. */
export const previewOptions: readonly Option[] = [
  {
    key: 'cacheDir',
    flag: 'cache-dir',
    value: 'FOLDER',
    defaultDescription: 'the folder cache in the folder beside the database',
    parser: text,
    description: 'The folder for previews and other cached files, which may be deleted at any time.',
    fileBrowserNames: ['cache-dir'],
  },
  {
    key: 'disableThumbnails',
    flag: 'disable-thumbnails',
    default: 'false',
    parser: booleanSwitch,
    description: 'Creates no thumbnails of images; tiles show icons.',
    fileBrowserNames: ['disable-thumbnails'],
  },
  {
    key: 'disablePreviewResize',
    flag: 'disable-preview-resize',
    default: 'false',
    parser: booleanSwitch,
    description: 'Creates no smaller versions of images to show while a large image loads.',
    fileBrowserNames: ['disable-preview-resize'],
  },
]
