import t from 'tap'
import { breadcrumbsOf } from './breadcrumbs.tsx'

t.test('shows the last three folders and combines the earlier ones', async (t) => {
  t.same(breadcrumbsOf('/'), [])
  t.same(breadcrumbsOf('/a/b/c/'), [
    { name: 'a', path: '/a/' },
    { name: 'b', path: '/a/b/' },
    { name: 'c', path: '/a/b/c/' },
  ])
  t.same(breadcrumbsOf('/a/b/c/d/e/'), [
    { name: '…', path: '/a/b/' },
    { name: 'c', path: '/a/b/c/' },
    { name: 'd', path: '/a/b/c/d/' },
    { name: 'e', path: '/a/b/c/d/e/' },
  ])
})
