import { proxy, ref } from 'valtio'

/** A button of a notice. */
export interface ToastAction {
  label: string
  /** The button shows the progress of a promise. */
  run(): unknown
}

/** A notice. */
export interface Toast {
  id: number
  /** A number of its own for each text, also if the notice takes the place of another one. */
  version: number
  /**
   * A warning stays until it is closed, like an error, but there is nothing to report. `busy` stays until another
   * notice with the same key takes its place.
   */
  kind: 'success' | 'busy' | 'warning' | 'error'
  text: string
  /** The subject, shown in front of the text. It is not part of an error report, so that no file name is sent. */
  subject: string
  /** Further lines. */
  lines?: readonly string[]
  /** It takes the place of an earlier notice with the same key. */
  key?: string
  actions?: readonly ToastAction[]
  /** How long a success is shown, in milliseconds. Missing: `noticeMs`. */
  ms?: number
}

/**
 * How long a success is shown, in milliseconds: without a button, and with one such as Undo, which a user must find first
 * (contract/compatibility.md#the-page).
 */
export const noticeMs = { plain: 4000, withAction: 7000 }

/** The notices that are shown, oldest first. */
export const toasts = proxy({ list: [] as Toast[] })

let nextId = 1

/** Shows a success, which disappears by itself, or an error or warning, which stays until it is closed. */
export function showToast(
  kind: Toast['kind'],
  text: string,
  subject = '',
  more: Pick<Toast, 'lines' | 'key' | 'actions' | 'ms'> = {},
): void {
  const { key } = more
  // Replaces an equal notice, so that it is not shown twice.
  const isEqual = (toast: Toast) =>
    key ? toast.key === key : toast.text === text && toast.subject === subject
  // A notice with the same key keeps its element, which may have the focus.
  const version = nextId++
  const id = (key && toasts.list.find(isEqual)?.id) || version
  const toast = ref({ id, version, kind, text, subject, ...more })
  toasts.list = [...toasts.list.filter((toast) => !isEqual(toast)), toast]
}

/** Removes a notice. */
export function dismiss(id: number): void {
  toasts.list = toasts.list.filter((toast) => toast.id !== id)
}

/** Removes the notices with this text. */
export function dismissText(text: string): void {
  toasts.list = toasts.list.filter((toast) => toast.text !== text)
}

/** Removes the notice with this key. */
export function dismissKey(key: string): void {
  toasts.list = toasts.list.filter((toast) => toast.key !== key)
}
