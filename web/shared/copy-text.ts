/** Copies `text` to the clipboard; false when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without HTTPS, the clipboard API does not exist. The old command still works.
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  // Inside the dialog, because it keeps the focus inside itself.
  const host = document.activeElement?.parentElement ?? document.body
  const before = document.activeElement
  host.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return isDone
}
