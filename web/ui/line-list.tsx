import { type Ref, useEffect, useRef } from 'react'
import styles from './line-list.module.css'

/** A list of lines with buttons in a card: a picture, words with a softer line below, buttons. */
export const lineList = styles

/**
 * Keeps the focus in a list when a line is removed: moves it to the same button of the next line, else the last line, else
 * the heading. `end(at, task)` runs the task that removes the line at that place, and answers whether it succeeded.
 *
 * @param count number of lines
 */
export function useLines(count: number): {
  ref: Ref<HTMLUListElement>
  end(at: number, task: () => Promise<boolean>): Promise<boolean>
} {
  const lines = useRef<HTMLUListElement>(null)
  const gone = useRef<number>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a line has gone when there are fewer.
  useEffect(() => {
    if (gone.current !== undefined) focusNear(lines.current, gone.current)
    gone.current = undefined
  }, [count])
  return {
    ref: lines,
    async end(at, task) {
      gone.current = at
      const isDone = await task()
      if (!isDone) gone.current = undefined
      return isDone
    },
  }
}

function focusNear(lines: HTMLElement | null, at: number): void {
  // Somebody who has gone on elsewhere meanwhile stays there.
  if (document.activeElement !== document.body) return
  // The last button of a line ends it, as the pressed one did.
  const all = [...(lines?.children ?? [])].map((line) => [...line.querySelectorAll('button')].at(-1))
  const heading = lines?.closest('section')?.querySelector('h2')
  heading?.setAttribute('tabindex', '-1')
  const heir = all.slice(at).find((button) => button) ?? all.findLast((button) => button) ?? heading
  heir?.focus()
}
