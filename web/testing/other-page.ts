/** A page in a browser other than Chromium, which is driven by one of the two WebDriver protocols. */
export interface Driver {
  /** Opens an address and waits until the page has loaded. */
  goto(url: string): Promise<void>
  /** Calls a function in the page. Its source must use nothing outside of it. Passes JSON values and returns one. */
  call(source: string, args: readonly unknown[]): Promise<unknown>
  /** Performs input, in the form that both protocols share (https://www.w3.org/TR/webdriver2/#actions). */
  perform(actions: readonly object[]): Promise<void>
  /** A picture of the window, as PNG. */
  screenshot(): Promise<Buffer>
  /** Ends the browser. */
  close(): Promise<void>
}

/** How long a state of the page may take, in milliseconds. */
const maxWaitMs = 30_000

/** The characters of WebDriver for keys without a character of their own. */
const keys = new Map([
  ['Backspace', '\uE003'],
  ['Enter', '\uE007'],
  ['Escape', '\uE00C'],
  ['Space', ' '],
  ['Delete', '\uE017'],
  ['F2', '\uE032'],
])

export type OtherPage = ReturnType<typeof createOtherPage>

/** What tests do in any of the browsers. */
export function createOtherPage(driver: Driver) {
  const run = <A extends readonly unknown[], R>(work: (...args: A) => R, ...args: A): Promise<R> =>
    driver.call(String(work), args) as Promise<R>

  /** Waits until `work` returns something truthy in the page, and returns that. */
  async function until<A extends readonly unknown[], R>(
    what: string,
    work: (...args: A) => R | undefined,
    ...args: A
  ): Promise<R> {
    const end = performance.now() + maxWaitMs
    for (;;) {
      const found = await run(work, ...args)
      if (found) return found
      if (performance.now() > end) throw new Error(`${what}: not within ${maxWaitMs / 1000} seconds`)
    }
  }

  const press = (key: string) => {
    const value = keys.get(key) ?? key
    return driver.perform([
      {
        type: 'key',
        id: 'keyboard',
        actions: [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ],
      },
    ])
  }

  return {
    goto: driver.goto,
    screenshot: driver.screenshot,
    run,
    until,
    press,

    /** Clicks the first visible element of `selector` whose name begins with `name`, as soon as nothing covers it. */
    async click(selector: string, name = ''): Promise<void> {
      const [x, y] = await until(`${selector} “${name}” to click`, centreOf, selector, name)
      const actions = [
        { type: 'pointerMove', x, y, duration: 0 },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await driver.perform([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }])
    },

    async type(text: string): Promise<void> {
      for (const letter of text) await press(letter)
    },

    /** Waits until an element of `selector` is visible whose name or text contains `text`. */
    shown: (selector: string, text = '') => until(`${selector} “${text}”`, isShown, selector, text),

    /** Waits until no element of `selector` is in the document. */
    gone: (selector: string) =>
      until(`no ${selector}`, (selector) => document.querySelector(selector) === null, selector),

    /** Chooses an option by its value. */
    choose: (selector: string, value: string) =>
      until(
        `${selector} with ${value}`,
        (selector, value) => {
          const select = document.querySelector<HTMLSelectElement>(selector)
          if (!select || ![...select.options].some((option) => option.value === value)) return false
          select.value = value
          return select.dispatchEvent(new Event('change', { bubbles: true }))
        },
        selector,
        value,
      ),
  }
}

/** Runs in the page. */
function centreOf(selector: string, name: string): [x: number, y: number] | undefined {
  for (const animation of document.getAnimations()) {
    if (animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY) animation.finish()
  }
  const found = [...document.querySelectorAll<HTMLElement>(selector)].find((one) => {
    const label = one instanceof HTMLInputElement ? one.labels?.[0]?.textContent : one.textContent
    const full = one.dataset.full ?? one.getAttribute('aria-label') ?? label ?? ''
    return full.trim().startsWith(name) && one.getClientRects().length > 0 && !one.closest('[inert]')
  })
  if (!found) return undefined
  found.scrollIntoView({ block: 'nearest' })
  const { left, top, width, height } = found.getBoundingClientRect()
  const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)] as const
  return found.contains(document.elementFromPoint(x, y)) ? [x, y] : undefined
}

/** Runs in the page. */
function isShown(selector: string, text: string): boolean {
  return [...document.querySelectorAll<HTMLElement>(selector)].some((one) => {
    const full = one.dataset.full ?? one.getAttribute('aria-label') ?? one.textContent ?? ''
    return full.includes(text) && one.getClientRects().length > 0
  })
}
