/** Focuses the list, or the message that an empty folder shows in its place. */
export function focusList(): void {
  document.querySelector<HTMLElement>('[role=grid], [data-message]')?.focus({ preventScroll: true })
}
