import { useSyncExternalStore } from 'react'

let isPrinting = false

/** The part of a virtual list that is rendered while the page is printed, in pixels: some 20,000 rows. */
export const printedPx = 1_000_000

function listen(onChange: () => void): () => void {
  const set = ({ type }: Event) => {
    isPrinting = type === 'beforeprint'
    onChange()
  }
  const types = ['beforeprint', 'afterprint']
  for (const type of types) addEventListener(type, set)
  return () => {
    for (const type of types) removeEventListener(type, set)
  }
}

/** Whether the page is being printed. What is rendered then is printed, also if it was not in sight. */
export function usePrinting(): boolean {
  return useSyncExternalStore(listen, () => isPrinting)
}
