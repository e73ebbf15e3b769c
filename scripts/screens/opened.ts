import { dialog, file, press, row, type Scene, select, withKey } from './stage.ts'

/** Open files and their dialogs. */
export const opened: Scene[] = [
  { name: 'text', path: '/files/main.ts', ready: `${file} [role=textbox] span` },
  {
    name: 'text, search',
    path: '/files/notes.txt',
    ready: `${file} [role=textbox]`,
    steps: async ({ page }) => page.locator(`${file} [role=textbox]`).press('ControlOrMeta+f'),
    shows: '.cm-search',
  },
  {
    name: 'text, search beside the preview',
    path: '/files/Plan.md',
    ready: `${file} :is(table, [role=textbox])`,
    steps: async ({ page }) => page.locator(`${file} [role=textbox]`).press('ControlOrMeta+f'),
    shows: '.cm-search',
  },
  { name: 'Markdown', path: '/files/Plan.md', ready: `${file} :is(table, [role=textbox])` },
  { name: 'picture', path: '/files/Photos/IMG_2042.jpg', ready: '[data-part=picture] img' },
  { name: 'panorama', path: '/files/panorama.png', ready: '[data-part=picture] img' },
  { name: 'music', path: '/files/song.wav', ready: file },
  {
    name: 'player',
    path: '/files/song.wav',
    ready: `${file} input[type=range]`,
    steps: async ({ page }) => page.keyboard.press('Escape'),
    shows: '[data-part=music]',
  },
  { name: 'unknown file', path: '/files/program.bin', ready: `${file} h2` },
  { name: 'video', path: '/files/film.mp4', ready: `${file} video` },
  { name: 'broken video', path: '/files/broken.mp4', ready: `${file} [role=alert]` },
  { name: 'PDF', path: '/files/form.pdf', ready: `${file} iframe` },
  {
    name: 'picture, Info',
    path: '/files/Photos/IMG_2042.jpg',
    ready: '[data-part=picture] img',
    steps: ({ page }) => page.keyboard.press('ControlOrMeta+i'),
    shows: `${dialog}, [data-part=details]`,
  },
  {
    name: 'slide show',
    path: '/files/Photos/IMG_2042.jpg',
    ready: '[data-part=picture] img',
    steps: ({ page }) => page.keyboard.press('s'),
    shows: '[data-part=picture] img',
  },
  {
    name: 'unsaved text',
    path: '/files/main.ts',
    ready: `${file} [role=textbox] span`,
    steps: async (stage) => {
      await stage.page.locator(`${file} [role=textbox]`).press('End')
      await stage.page.keyboard.type(' ')
      await press(stage, 'Close')
    },
    shows: dialog,
  },
  {
    name: 'versions',
    path: '/files/Letters/',
    ready: row,
    steps: async (stage) => {
      await withKey('ControlOrMeta+i', select('letter.txt'))(stage)
      await stage.page.getByText(stage.say('Versions'), { exact: true }).click()
    },
    shows: '[data-part=details] li',
  },
  {
    name: 'comparison',
    path: '/files/Letters/',
    ready: row,
    steps: async (stage) => {
      await withKey('ControlOrMeta+i', select('letter.txt'))(stage)
      await stage.page.getByText(stage.say('Versions'), { exact: true }).click()
      await press(stage, 'Compare')
    },
    shows: `${dialog} :is(ins, del)`,
  },
]
