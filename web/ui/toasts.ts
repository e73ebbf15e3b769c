import { proxy } from 'valtio'

interface Toast {
  id: number
  kind: 'success' | 'error'
  text: string
  /** What it is told of, in front of the text; it stays on this page, so that a name is not sent with a report. */
  about: string
}

/** What was told and not yet taken back, oldest first. */
export const toasts = proxy({ list: [] as Toast[] })

let nextId = 1

/** Tells of a success, which goes by itself, or of an error, which stays until it is closed. */
export function tell(kind: Toast['kind'], text: string, about = ''): void {
  const id = nextId++
  // The same complaint twice is one complaint.
  toasts.list = [
    ...toasts.list.filter((toast) => toast.text !== text || toast.about !== about),
    { id, kind, text, about },
  ]
  if (kind === 'success') setTimeout(() => dismiss(id), 1000)
}

/** Takes a notice away. */
export function dismiss(id: number): void {
  toasts.list = toasts.list.filter((toast) => toast.id !== id)
}
