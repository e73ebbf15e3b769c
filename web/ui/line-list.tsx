import { type Ref, useEffect, useLayoutEffect, useRef } from 'react'
import { isFocusFree } from './layers/lost-focus.ts'
import styles from './line-list.module.css'

/** The styles of a list of lines in a card: an icon, text with a second line below, buttons. */
export const lineList = styles

/**
 * Keeps the focus in a list when a line is removed: moves it to the same button of the next line, else of the last
 * line, else to the heading. `removeLine(at, task)` runs the task that removes the line at `at` and returns whether it
 * succeeded.
 *
 * @param count number of lines
 */
export function useLines(count: number): {
  ref: Ref<HTMLUListElement>
  removeLine(at: number, task: () => Promise<boolean>): Promise<boolean>
} {
  const lines = useRef<HTMLUListElement>(null)
  const removed = useRef<number>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a line was removed when the count changes.
  useEffect(() => {
    if (removed.current !== undefined) focusNear(lines.current, removed.current)
    removed.current = undefined
  }, [count])
  return {
    ref: lines,
    async removeLine(at, task) {
      removed.current = at
      const isDone = await task()
      if (!isDone) removed.current = undefined
      return isDone
    },
  }
}

/**
 * Keeps the focus when a button for more lines disappears, because the last ones are there: moves it to the first new
 * line. `expectMore` is called when the button is pressed.
 *
 * @param count number of lines, which are the children of `ref`
 */
export function useMoreLines<Lines extends HTMLElement>(count: number) {
  const ref = useRef<Lines>(null)
  const first = useRef<number>(undefined)
  // Before the paint: a dialog then moves a lost focus to its first element.
  useLayoutEffect(() => {
    const at = first.current
    if (at === undefined || count <= at) return
    first.current = undefined
    const line = ref.current?.children[at]
    const target = line?.querySelector<HTMLElement>('a, button') ?? line
    if (!(target instanceof HTMLElement) || !isFocusFree()) return
    if (target === line) target.tabIndex = -1
    target.focus()
  }, [count])
  return {
    ref,
    expectMore: () => {
      first.current = count
    },
  }
}

function focusNear(lines: HTMLElement | null, at: number): void {
  // If the user has moved the focus elsewhere meanwhile, it stays there.
  if (!isFocusFree()) return
  // The last button of a line removes it, like the pressed one.
  const all = [...(lines?.children ?? [])].map((line) => [...line.querySelectorAll('button')].at(-1))
  const heading = lines?.closest('section')?.querySelector('h2')
  heading?.setAttribute('tabindex', '-1')
  const next = all.slice(at).find((button) => button) ?? all.findLast((button) => button) ?? heading
  next?.focus()
}
