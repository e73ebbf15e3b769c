import type { ComponentType } from 'react'
import { proxy, ref } from 'valtio'

/** The props of every overlay: its question, and a function that closes it with an answer. */
export interface AskProps<Question, Answer> {
  question: Question
  /** Closes the overlay. Without an answer the user has cancelled. */
  close(answer?: Answer): void
}

interface OpenQuestion {
  id: number
  view: ComponentType<AskProps<never, never>>
  props: AskProps<never, never>
}

/** The open questions, oldest first. Only the overlay host shows them. */
export const overlays = proxy({ open: [] as OpenQuestion[] })

let nextId = 1

/** Shows `View` above the page. Resolves with the user's answer; undefined if the user cancels. */
export function ask<Question, Answer>(
  View: ComponentType<AskProps<Question, Answer>>,
  question: Question,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const id = nextId++
    const close = (answer?: Answer) => {
      overlays.open = overlays.open.filter((one) => one.id !== id)
      resolve(answer)
    }
    // The list holds questions of different types. The type of this function ensures that each view gets matching
    // props.
    overlays.open.push({ id, view: ref(View as never), props: ref({ question, close } as never) })
  })
}

/** Closes every question without an answer, for example when the page changes. */
export function dismissAll(): void {
  for (const { props } of [...overlays.open]) props.close()
}
