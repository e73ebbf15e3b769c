import { useLingui } from '@lingui/react/macro'
import { useEffect, useMemo, useState } from 'react'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { parentOf } from '#web/shared/paths.ts'
import type { Branches } from './folder-tree.tsx'

/**
 * The folders of the served folder as a tree, independent of the scope of the user. Each folder is loaded when it is
 * opened. Planned folders do not exist yet: saving the form creates them, and nothing remains if it is not saved.
 *
 * @param from the folder at which the tree opens, with a closing slash
 */
export function useHomeTree(from: string) {
  const { t, i18n } = useLingui()
  const [loaded, setLoaded] = useState<Branches>({})
  const [planned, setPlanned] = useState<ReadonlySet<string>>(new Set())
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<string>()
  const plan = (path: string) => {
    setPlanned((known) => new Set([...known, path]))
    setOpen((known) => new Set([...known, parentOf(path)]))
  }
  const expand = async (path: string) => {
    setOpen((known) => new Set([...known, path]))
    try {
      const { kind, folders, hasMore } = await api('GET /api/homes', { query: { path } })
      if (kind === 'missing') return plan(path)
      setLoaded((known) => ({ ...known, [path]: folders.map((name) => `${path}${name}/`) }))
      setError(
        hasMore ? t`Only the first 1,000 folders are shown. You can type the path instead.` : undefined,
      )
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
    }
  }
  const collapse = (path: string) => setOpen((known) => new Set([...known].filter((one) => one !== path)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the parent folders open once, at the start.
  useEffect(() => {
    const ancestors = [from]
    while (ancestors[0] && ancestors[0] !== '/') ancestors.unshift(parentOf(ancestors[0]))
    void Promise.all(ancestors.map(expand))
  }, [from])
  const branches = useMemo(() => withPlanned(loaded, planned), [loaded, planned])
  return { branches, planned, open, error, expand, collapse, plan }
}

function withPlanned(loaded: Branches, planned: ReadonlySet<string>): Branches {
  const all = new Map(Object.entries(loaded))
  for (const path of planned) {
    const parent = parentOf(path)
    const siblings = all.get(parent) ?? []
    if (!siblings.includes(path)) all.set(parent, [...siblings, path])
    if (!all.has(path)) all.set(path, [])
  }
  return Object.fromEntries(all)
}
