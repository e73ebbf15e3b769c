import { fields, sections } from '#web/shared/settings/texts.ts'

/** How long a found setting is highlighted, in milliseconds. */
const highlightMs = 2000
/** How long a field may be missing in its shown section, in milliseconds. A rule has no fields before it is added. */
const patienceMs = 700

/**
 * Shows a section or field of the settings as soon as the page has it: opens what folds it, scrolls to it, focuses it
 * and highlights it for a moment. Returns a function that stops waiting for it.
 *
 * @param name as in `data-setting`; anything else does nothing
 */
export function revealSetting(name: string): () => void {
  const field = new Map(Object.entries(fields)).get(name)
  if (!field && !Object.hasOwn(sections, name)) return () => undefined
  const controller = new AbortController()
  const { signal } = controller
  const stop = () => controller.abort()
  let patience: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    const element = find(name)
    const section = field && find(field.section)
    if (element) show(element)
    else if (section) patience ??= setTimeout(() => show(section), patienceMs)
  }
  const show = (element: HTMLElement) => {
    stop()
    open(element)
    focus(element)
    highlight(element.closest<HTMLElement>('[data-part="field"]') ?? element)
  }
  const observer = new MutationObserver(look)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(patience)
  })
  // A user who does something else meanwhile is not interrupted.
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, stop, { signal, capture: true })
  observer.observe(document.body, { childList: true, subtree: true })
  look()
  return stop
}

function find(name: string): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(`[data-setting="${CSS.escape(name)}"]`) ?? undefined
}

/** Opens the folded parts around an element. */
function open(element: HTMLElement): void {
  for (let at: Element | null = element; at; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true
    // On narrow screens, a button shows the filters.
    const closed = at.id && `[aria-controls="${CSS.escape(at.id)}"][aria-expanded="false"]`
    const button = closed && document.querySelector<HTMLElement>(closed)
    if (button && !at.checkVisibility()) button.click()
  }
}

function focus(element: HTMLElement): void {
  element.focus({ preventScroll: true })
  // A disabled field cannot have the focus, and a section has it only if it may.
  const target = element.matches(':disabled') ? element.closest<HTMLElement>('[data-part="field"]') : element
  if (target && document.activeElement !== target) {
    target.tabIndex = -1
    target.focus({ preventScroll: true })
  }
  const isTall = element.offsetHeight > innerHeight / 2
  element.scrollIntoView({ block: isTall ? 'start' : 'center' })
}

function highlight(element: HTMLElement): void {
  element.dataset.found = ''
  setTimeout(() => delete element.dataset.found, highlightMs)
}
