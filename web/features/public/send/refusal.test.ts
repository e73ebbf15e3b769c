import t from 'tap'
import { refusalOf } from './refusal.ts'

const offer = (types: string[]) => ({ rights: 'upload' as const, types, maxFileSize: 10 })

t.test('extensions are judged in the page, media types only by the server', async (t) => {
  // The type is that of the browser, which differs by system.
  const judged = (name: string, types: string[], type = '') => {
    const file = { name, type, size: 10 }
    return refusalOf(file, offer(types))
  }
  t.equal(judged('A.PDF', ['.pdf', '.jpg']), undefined)
  t.equal(judged('.pdf', ['.pdf']), undefined)
  t.equal(judged('a.exe', ['.pdf', '.jpg']), 'share.type')
  t.equal(judged('pdf', ['.pdf']), 'share.type')
  t.equal(judged('a.exe', []), undefined)
  t.equal(judged('a.csv', ['text/csv'], 'application/vnd.ms-excel'), undefined)
  t.equal(judged('a.heic', ['.pdf', 'image/*'], 'application/octet-stream'), undefined)
  t.equal(refusalOf({ name: 'a.pdf', size: 11 }, offer([])), 'request.large')
})
