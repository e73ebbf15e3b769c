import type { ComponentType } from 'react'
import { proxy, ref } from 'valtio'

/** What every overlay receives: its question and the one way to answer it. */
export interface AskProps<Question, Answer> {
  question: Question
  /** Closes the overlay; without an answer the person walked away. */
  close(answer?: Answer): void
}

interface Asked {
  id: number
  view: ComponentType<AskProps<never, never>>
  props: AskProps<never, never>
}

/** The questions that are open, oldest first. Only the overlay host shows them. */
export const overlays = proxy({ open: [] as Asked[] })

let nextId = 1

/** Shows `View` above everything and answers what the person answers; undefined when they walk away. */
export function ask<Question, Answer>(
  View: ComponentType<AskProps<Question, Answer>>,
  question: Question,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const id = nextId++
    const close = (answer?: Answer) => {
      overlays.open = overlays.open.filter((asked) => asked.id !== id)
      resolve(answer)
    }
    // A list of questions of every kind: the pair of view and props is right by this function's own type.
    overlays.open.push({ id, view: ref(View as never), props: ref({ question, close } as never) })
  })
}

/** Closes every question without an answer, as a change of page does. */
export function dismissAll(): void {
  for (const { props } of [...overlays.open]) props.close()
}
