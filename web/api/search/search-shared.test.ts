import t from 'tap'
import type { Share } from '../origin.ts'
import type { Hit } from './search.ts'
import { searchShared } from './search-shared.ts'

type Tree = Record<string, readonly string[]>

/** A share with these folders. Names that end with a slash are folders. */
function shareOf(tree: Tree): { link: Share; read: string[] } {
  const read: string[] = []
  const link = {
    read: async (path: string) => {
      read.push(path)
      const items = (tree[path] ?? []).map((written) => {
        const name = written.replace(/\/$/, '')
        const type = /\.png$/.test(name) ? 'image' : 'text'
        return { name, isDir: written.endsWith('/'), type }
      })
      return { items }
    },
  }
  return { link: link as unknown as Share, read }
}

async function found(tree: Tree, query: string, folder = '/'): Promise<string[]> {
  const all: string[] = []
  const { signal } = new AbortController()
  for await (const hits of searchShared(shareOf(tree).link, folder, query, signal))
    all.push(...(hits === 'partial' ? [hits] : hits.map(({ path, dir }: Hit) => `${path}${dir ? '/' : ''}`)))
  return all
}

const tree: Tree = {
  '/': ['Sea.png', 'notes.txt', 'trip/'],
  '/trip/': ['sea view.png', 'sea log.txt', 'deep sea/'],
  '/trip/deep sea/': ['fish.png'],
}

t.test('a search in a share finds names with all words in all its folders', async (t) => {
  t.same(await found(tree, 'sea'), ['Sea.png', 'trip/sea view.png', 'trip/sea log.txt', 'trip/deep sea/'])
  t.same(await found(tree, 'view sea'), ['trip/sea view.png'])
  t.same(await found(tree, '"sea l"'), ['trip/sea log.txt'])
  t.same(await found(tree, 'case:sensitive Sea'), ['Sea.png'])
  t.same(await found(tree, 'sea', '/trip/'), ['sea view.png', 'sea log.txt', 'deep sea/'], 'from the folder')
})

t.test('a search in a share can be for a type of files', async (t) => {
  t.same(await found(tree, 'type:image'), ['Sea.png', 'trip/sea view.png', 'trip/deep sea/fish.png'])
  t.same(await found(tree, 'type:txt sea'), ['trip/sea log.txt'])
})

t.test('a search in a share with very many folders ends after 200 of them, and says so', async (t) => {
  const names = Array.from({ length: 300 }, (_, n) => `${n}/`)
  const { link, read } = shareOf({ '/': names })
  const { signal } = new AbortController()
  let last: unknown
  for await (const hits of searchShared(link, '/', 'x', signal)) last = hits
  t.equal(last, 'partial')
  t.equal(read.length, 200)
})
