import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { parentOf } from '#web/shared/paths.ts'
import type { Branches } from './folder-tree.tsx'

/** The tree of folders as far as it was opened. Each folder is fetched when it is opened, so it is never out of date. */
export function useFolders(from: string) {
  const { i18n } = useLingui()
  const [branches, setBranches] = useState<Branches>({})
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<string>()
  const fail = (reason: unknown) => setError(i18n._(problemText(codeOf(reason))))
  const expand = async (path: string) => {
    try {
      const answer = await api('GET /api/resources/*', { params: { '*': path }, query: {} })
      const items = 'items' in answer ? answer.items : []
      const folders = items
        .filter((item) => item.isDir && item.type === '')
        .map(({ name }) => `${path}${name}/`)
      setBranches((known) => ({ ...known, [path]: folders }))
      setOpen((known) => new Set([...known, path]))
      setError(undefined)
    } catch (reason) {
      fail(reason)
    }
  }
  const collapse = (path: string) => setOpen((known) => new Set([...known].filter((one) => one !== path)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the way to where one is opens once, at the start.
  useEffect(() => {
    const way = [from]
    while (way[0] && way[0] !== '/') way.unshift(parentOf(way[0]))
    void Promise.all(way.map(expand))
  }, [from])
  return { branches, open, error, expand, collapse, fail }
}
