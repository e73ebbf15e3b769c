import t from 'tap'
import { attachment, inline } from './replies.ts'

t.test('a download has its name twice: in ASCII for old programs, and in full', async (t) => {
  const table: [name: string, ascii: string, full: string][] = [
    ['a b.txt', 'a b.txt', 'a%20b.txt'],
    ['Grüße.pdf', 'Gru_e.pdf', 'Gr%C3%BC%C3%9Fe.pdf'],
    ['日本.txt', '__.txt', '%E6%97%A5%E6%9C%AC.txt'],
    ['👩.txt', '_.txt', '%F0%9F%91%A9.txt'],
    ['a"b\\c%41.txt', 'a_b_c_41.txt', 'a%22b%5Cc%2541.txt'],
    ['Icon\r', 'Icon_', 'Icon%0D'],
    ['a\r\nSet-Cookie: b', 'a__Set-Cookie: b', 'a%0D%0ASet-Cookie%3A%20b'],
  ]
  for (const [name, ascii, full] of table) {
    t.equal(attachment(name), `attachment; filename="${ascii}"; filename*=utf-8''${full}`)
    t.equal(inline(name), `inline; filename="${ascii}"; filename*=utf-8''${full}`)
  }
})
