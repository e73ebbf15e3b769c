import { i18n } from '@lingui/core'
import t from 'tap'
import { countKinds, kindText } from './kind-text.ts'

i18n.loadAndActivate({ locale: 'en', messages: {} })

type Item = Parameters<typeof kindText>[0]
const item = (name: string, type: Item['type'] = 'blob', isDir = false): Item => ({ name, type, isDir })

t.test('the properties name the kind of an item, by its extension before its content', async (t) => {
  t.equal(kindText(item('a.zip', '', true)), 'Folder', 'whatever its name')
  t.equal(kindText(item('a.zip', 'text')), 'Archive')
  t.equal(kindText(item('README', 'text')), 'Text')
  t.equal(kindText(item('a.XLSX')), 'Spreadsheet')
  t.equal(kindText(item('a.jpg', 'image')), 'Image')
  t.equal(kindText(item('zip')), 'File', 'a name without an extension')
  t.equal(kindText(item('a.zip', 'invalid_link')), 'Broken link')
})

t.test('items are counted by kind, the most frequent first', async (t) => {
  const items = [item('a.zip'), item('b.txt', 'text'), item('c.md', 'text'), item('d', '', true)]
  t.same(countKinds(items), [
    ['Text', 2],
    ['Archive', 1],
    ['Folder', 1],
  ])
  t.same(countKinds([]), [])
})
