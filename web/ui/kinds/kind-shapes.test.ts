import t from 'tap'
import { fileKindOf } from './file-kind.ts'
import { kindSymbols, shapes } from './kind-shapes.ts'

t.test('the ending of a name chooses the icon, and otherwise the type of the content', async (t) => {
  const kinds = {
    'a.zip': 'archive',
    'a.tar.gz': 'archive',
    'a.tar.bz2': 'archive',
    'a.XLSX': 'sheet',
    'a.odt': 'document',
    'a.pptx': 'slides',
    'a.woff2': 'font',
    'a.epub': 'book',
    'a.iso': 'disk',
    'a.sqlite3': 'database',
    'a.exe': 'program',
    'a.ics': 'calendar',
    'a.vcf': 'contact',
    'a.pem': 'key',
    'a.tsx': 'code',
    'a.pdf': 'pdf',
    'a.unknown': 'other',
    zip: 'other',
  }
  for (const [name, kind] of Object.entries(kinds)) t.equal(fileKindOf(name, false, 'blob'), kind, name)
  t.equal(fileKindOf('a.zip', true, ''), 'folder')
  t.equal(fileKindOf('a.zip', false, 'invalid_link'), 'link')
  t.equal(fileKindOf('notes', false, 'text'), 'text')
  t.equal(fileKindOf('a.constructor', false, 'blob'), 'other')
})

t.test('every kind has its own icon in the page', async (t) => {
  const symbols = kindSymbols()
  for (const kind of Object.keys(shapes)) t.match(symbols, `<symbol id="kind-${kind}" `)
  t.equal(new Set(symbols.match(/viewBox.*?<\/symbol>/g)).size, Object.keys(shapes).length)
})
