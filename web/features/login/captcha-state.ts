import { page } from '#web/shared/page.ts'

/** What the check's script puts into the page (its own documentation calls this explicit rendering). */
interface Service {
  render(place: HTMLElement, options: { sitekey: string; theme: string; size: string }): number
  getResponse(widget: number): string
  reset(widget: number): void
}

const pollMs = 100
const normalWidth = 304

let widget: number | undefined

function service(): Service | undefined {
  const { grecaptcha } = globalThis as { grecaptcha?: Partial<Service> }
  // The script makes the object first and fills it later.
  return grecaptcha?.render ? (grecaptcha as Service) : undefined
}

/**
 * Shows the check in `place` as soon as its script is there, which is asked every 100 ms.
 * Answers how to stop waiting. `failed` is told when the script cannot be had.
 */
export function showCaptcha(place: HTMLElement, failed: () => void): () => void {
  loadScript(failed)
  const timer = setInterval(() => {
    const there = service()
    if (!there) return
    clearInterval(timer)
    widget = there.render(place, {
      sitekey: page.ReCaptchaKey,
      theme: page.Theme || (isDarkHere() ? 'dark' : 'light'),
      size: place.clientWidth < normalWidth ? 'compact' : 'normal',
    })
  }, pollMs)
  return () => {
    clearInterval(timer)
    widget = undefined
  }
}

/** What the person answered, for the server; undefined when they have not, or the check is not there yet. */
export function captchaAnswer(): { recaptcha?: string } | undefined {
  if (!page.ReCaptcha) return {}
  const recaptcha = widget === undefined ? '' : service()?.getResponse(widget)
  return recaptcha ? { recaptcha } : undefined
}

/** Asks anew: a response is good for one question. */
export function resetCaptcha(): void {
  if (widget !== undefined) service()?.reset(widget)
}

function loadScript(failed: () => void): void {
  const src = `${page.ReCaptchaHost}/recaptcha/api.js?render=explicit`
  if ([...document.scripts].some((script) => script.src === src)) return
  const script = document.createElement('script')
  script.src = src
  script.async = true
  script.addEventListener('error', () => {
    script.remove()
    failed()
  })
  document.head.append(script)
}

function isDarkHere(): boolean {
  return page.FollowDevice && matchMedia('(prefers-color-scheme: dark)').matches
}
