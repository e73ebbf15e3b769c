import { proxy } from 'valtio'

interface Toast {
  id: number
  kind: 'success' | 'error'
  text: string
  /** The subject, shown in front of the text. It is not part of an error report, so that no file name is sent. */
  subject: string
}

/** The notices that are shown, oldest first. */
export const toasts = proxy({ list: [] as Toast[] })

let nextId = 1

/** Shows a success, which disappears by itself, or an error, which stays until it is closed. */
export function showToast(kind: Toast['kind'], text: string, subject = ''): void {
  const id = nextId++
  // Replaces an equal notice, so that it is not shown twice.
  toasts.list = [
    ...toasts.list.filter((toast) => toast.text !== text || toast.subject !== subject),
    { id, kind, text, subject },
  ]
  if (kind === 'success') setTimeout(() => dismiss(id), 1000)
}

/** Removes a notice. */
export function dismiss(id: number): void {
  toasts.list = toasts.list.filter((toast) => toast.id !== id)
}
