let region: HTMLElement | undefined

/** Adds the place of the announcements. Screen readers only follow a place that existed before its text. */
export function startAnnouncements(): void {
  if (region) return
  region = document.createElement('div')
  region.className = 'visually-hidden'
  region.setAttribute('aria-live', 'polite')
  region.dataset.part = 'announcements'
  document.body.append(region)
}

/** Lets screen readers announce a change that moves no focus. Nothing is shown. */
export function announce(text: string): void {
  if (region) region.textContent = text
}
