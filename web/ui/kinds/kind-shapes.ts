import type { Kind } from './file-kind.ts'

const page = 'M5 4a2 2 0 0 1 2-2h7v4.5l.5.5H19v13a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2z'
const corner = 'M15 1.5 19.5 6H16a1 1 0 0 1-1-1z'
const card = 'M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z'
const disc = 'M12 2a10 10 0 0 0 0 20 10 10 0 0 0 0-20z'

/** Paths on a canvas of 24 by 24: lines, filled shapes, and the silhouette in the second tone. Default: a page. */
export type Shape = readonly [lines: string, filled: string, silhouette?: string]

/** The icon of each kind. */
export const shapes: Record<Kind, Shape> = {
  folder: [
    '',
    'M2 8V6a2 2 0 0 1 2-2h4.6a2 2 0 0 1 1.4.6L11.5 6H20a2 2 0 0 1 2 2z',
    'M2 9h20v9a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2z',
  ],
  image: [
    '',
    'm2 17.5 5-5.3a1.4 1.4 0 0 1 2 0l3.6 3.6 2.1-2.1a1.4 1.4 0 0 1 2 0L22 19a2 2 0 0 1-2 1H4a2 2 0 0 1-2-2zM16 6.8a1.8 1.8 0 0 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
    card,
  ],
  video: ['M5 8v.01M5 12v.01M5 16v.01M19 8v.01M19 12v.01M19 16v.01', 'M9.5 8.2v7.6l6-3.8z', card],
  audio: [
    'M9.5 16V8l6.5-1.5v8',
    'M7.7 14.2a1.9 1.9 0 0 0 0 3.8 1.9 1.9 0 0 0 0-3.8zM14.2 12.7a1.9 1.9 0 0 0 0 3.8 1.9 1.9 0 0 0 0-3.8z',
    'M7 2h10a5 5 0 0 1 5 5v10a5 5 0 0 1-5 5H7a5 5 0 0 1-5-5V7a5 5 0 0 1 5-5z',
  ],
  text: ['M8.5 11h7M8.5 14.5h7M8.5 18h4', corner],
  code: ['m10 11.5-2.5 3 2.5 3M14 11.5l2.5 3-2.5 3', corner],
  document: ['M13.5 11.5H16M13.5 14.5H16M8.5 18H16', `${corner}M8 10.7h3.5v4.5H8z`],
  pdf: ['M8 18.5c4-1.5 5-9.5 3.5-9.5s0 6.5 4.5 6.5c1.5 0 1-1.2-.5-1.2-3 0-6.5 1.7-7.5 4.2z', corner],
  sheet: ['M8 11h8v7.5H8zM8 14.7h8M11 11v7.5', corner],
  slides: [
    'M2 4h20M12 17v2.5M8.5 22l3.5-2.5 3.5 2.5M8 13v-1.5M12 13V8M16 13v-3',
    '',
    'M3 4h18v11a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  ],
  archive: [
    'M10 12.5h4',
    'M3.5 3h17A1.5 1.5 0 0 1 22 4.5v2A1.5 1.5 0 0 1 20.5 8h-17A1.5 1.5 0 0 1 2 6.5v-2A1.5 1.5 0 0 1 3.5 3z',
    'M3.5 9h17v10a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z',
  ],
  font: ['m8.5 18.5 3.5-8.5 3.5 8.5M9.8 15.5h4.4', corner],
  book: [
    'M12 6.5V20M5.5 9.5q2-.4 3.5.3M5.5 13q2-.4 3.5.3M15 9.8q1.5-.7 3.5-.3M15 13.3q1.5-.7 3.5-.3',
    '',
    'M2 5.5c4-1.5 7-1 10 1 3-2 6-2.5 10-1V19c-4-1.5-7-1-10 1-3-2-6-2.5-10-1z',
  ],
  disk: ['M12 9.5a2.5 2.5 0 0 0 0 5 2.5 2.5 0 0 0 0-5zM12 5.5a6.5 6.5 0 0 1 6.5 6.5', '', disc],
  database: [
    'M4.8 13c1 1.5 4 2.5 7.2 2.5s6.2-1 7.2-2.5',
    'M12 2.5c4.4 0 8 1.5 8 3.5s-3.6 3.5-8 3.5S4 8 4 6s3.6-3.5 8-3.5z',
    'M4 8q2.5 2.5 8 2.5T20 8v10c0 2-3.6 3.5-8 3.5S4 20 4 18z',
  ],
  program: ['M3.5 7.2 12 12l8.5-4.8M12 12v9.5', '', 'm12 2 9 5v10l-9 5-9-5V7z'],
  calendar: [
    'M8 2v3M16 2v3M8 13v.01M12 13v.01M16 13v.01M8 17v.01M12 17v.01',
    'M3 8.5V6a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v2.5z',
    'M3 9.5h18V20a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  ],
  contact: [
    'M15.5 10H19M15.5 14H19',
    'M8.5 7.5a2.3 2.3 0 0 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM4.5 16.5c0-2 1.5-3.2 4-3.2s4 1.2 4 3.2z',
    card,
  ],
  key: [
    'M12 11 20.5 2.5M16 7l3.5 3.5',
    'M7.5 14a2 2 0 0 0 0 4 2 2 0 0 0 0-4z',
    'M8 9a6.5 6.5 0 0 0 0 13A6.5 6.5 0 0 0 8 9z',
  ],
  link: ['M10.5 12h-1a2.5 2.5 0 0 0 0 5h1M13.5 17h1a2.5 2.5 0 0 0 0-5h-1', corner],
  other: ['', corner],
}

/**
 * The hidden element at the start of the page that contains the icons as symbols (`FileIcon` refers to them). The build
 * writes it into `index.html`: the scripts stay small, and no icon appears late.
 */
export function kindSymbols(): string {
  const symbols = Object.entries(shapes).map(
    ([kind, [lines, filled, silhouette = page]]) =>
      `<symbol id="kind-${kind}" viewBox="0 0 24 24"><path opacity="${kind === 'folder' ? '.5' : '.3'}" d="${silhouette}"/>` +
      `${filled && `<path d="${filled}"/>`}${lines && `<path fill="none" stroke="currentColor" d="${lines}"/>`}</symbol>`,
  )
  return `<svg width="0" height="0" aria-hidden="true">${symbols.join('')}</svg>`
}
