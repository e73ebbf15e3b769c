// A build plugin that removes from React what this page never runs: showing HTML that a server has rendered
// (hydration), and asking the browser to load resources ahead.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** A change of the source of React: what is replaced, by what, and how often it occurs in the pinned version. */
type Change = readonly [pattern: RegExp, replacement: string, count: number]

const clientChanges: readonly Change[] = [
  [/^exports\.hydrateRoot = [\s\S]*?^};\n/gm, '', 1],
  // Without `hydrateRoot`, nothing else starts hydrating. The minifier then drops every branch for it.
  [/^ {2}isHydrating = !1,\n/gm, '', 1],
  [/^ {2}isHydrating = !1;\n/gm, '', 1],
  [/\bisHydrating = !0/g, '!0', 5],
  // The rest reads the variable. A parameter of the same name is declared above it.
  [/\bisHydrating\b(?!\$)(?<=hydrationParentFiber = null,[\s\S]*)/g, '!1', 33],
]

const sharedChanges: readonly Change[] = [
  [/^exports\.(preconnect|prefetchDNS|preinit|preinitModule|preload|preloadModule) = [\s\S]*?^};\n/gm, '', 6],
  [
    /^exports\.(requestFormReset|useFormState|useFormStatus|unstable_batchedUpdates) = [\s\S]*?^};\n/gm,
    '',
    4,
  ],
]

/** Removes unused parts of React, about 2 KiB of the first load. Fails when a new version of React looks different. */
export const trimReact: Plugin = {
  name: 'trim-react',
  setup(build) {
    const files: [filter: RegExp, changes: readonly Change[]][] = [
      [/[\\/]react-dom[\\/]cjs[\\/]react-dom-client\.production\.js$/, clientChanges],
      [/[\\/]react-dom[\\/]cjs[\\/]react-dom\.production\.js$/, sharedChanges],
    ]
    for (const [filter, changes] of files) {
      build.onLoad({ filter }, async ({ path }) => ({
        contents: changes.reduce(apply, await readFile(path, 'utf8')),
      }))
    }
  },
}

function apply(source: string, [pattern, replacement, count]: Change): string {
  const found = source.match(pattern)?.length ?? 0
  if (found !== count)
    throw new Error(
      `React has ${found} instead of ${count} matches of ${pattern}: adapt scripts/build/trim-react.ts`,
    )
  return source.replace(pattern, replacement)
}
