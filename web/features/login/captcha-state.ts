import { page } from '#web/shared/page.ts'

/** The API that the captcha script adds to the page (explicit rendering in its documentation). */
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
  // The script first creates an empty object and adds its functions later.
  return grecaptcha?.render ? (grecaptcha as Service) : undefined
}

/**
 * Shows the captcha in `place` as soon as its script is loaded, which is checked every 100 ms. Calls `failed` when the
 * script cannot be loaded. Returns a function that stops waiting.
 */
export function showCaptcha(place: HTMLElement, failed: () => void): () => void {
  loadScript(failed)
  const timer = setInterval(() => {
    const captcha = service()
    if (!captcha) return
    clearInterval(timer)
    widget = captcha.render(place, {
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

/** The user's captcha response for the server; undefined while the captcha is not solved or not loaded. */
export function captchaResponse(): { recaptcha?: string } | undefined {
  if (!page.ReCaptcha) return {}
  const recaptcha = widget === undefined ? '' : service()?.getResponse(widget)
  return recaptcha ? { recaptcha } : undefined
}

/** Resets the captcha: a response is valid for one request. */
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
