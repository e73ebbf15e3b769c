import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { Branches } from '#web/shared/folders/folder-tree.tsx'
import { folderNames } from '#web/shared/names/folder-names.ts'
import { parentOf } from '#web/shared/paths.ts'

/** The state of a folder tree. Each folder is loaded when it is opened, so that it is up to date. */
export function useFolderTree(from: string) {
  const { i18n } = useLingui()
  const [branches, setBranches] = useState<Branches>({})
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<string>()
  const fail = (reason: unknown) => setError(i18n._(problemText(codeOf(reason))))
  const expand = async (path: string) => {
    try {
      const listing = await api('GET /api/resources/*', { params: { '*': path }, query: {} })
      const names = 'items' in listing ? folderNames(listing, i18n.locale) : []
      const folders = names.map((name) => `${path}${name}/`)
      setBranches((known) => ({ ...known, [path]: folders }))
      setOpen((known) => new Set([...known, path]))
      setError(undefined)
    } catch (reason) {
      fail(reason)
    }
  }
  const collapse = (path: string) => setOpen((known) => new Set([...known].filter((one) => one !== path)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the parent folders open once, at the start.
  useEffect(() => {
    const ancestors = [from]
    while (ancestors[0] && ancestors[0] !== '/') ancestors.unshift(parentOf(ancestors[0]))
    void Promise.all(ancestors.map(expand))
  }, [from])
  return { branches, open, error, expand, collapse, fail }
}
