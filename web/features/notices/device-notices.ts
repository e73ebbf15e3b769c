import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { proxy } from 'valtio'
import type { Notice } from '#contract/notices/notices.ts'
import { page } from '#web/shared/page.ts'
import { onStoredChange, readStored, writeStored } from '#web/shared/preferences.ts'
import { noticeText } from './notice-text.ts'

/**
 * Whether this device shows notices while the page is hidden. `missing`: the browser cannot do so, or not on a page without
 * HTTPS. `blocked`: the user has forbidden it in the browser.
 */
type DeviceState = 'on' | 'off' | 'blocked' | 'missing'

export const device = proxy({ state: 'off' as DeviceState })

/** The name of the lock that every visible tab of this browser holds. */
const visibleLock = 'coffer-visible'

/** Reads whether this device shows notices. The permission may have changed in the settings of the browser. */
export function refreshDevice(): void {
  device.state = stateNow()
}

function stateNow(): DeviceState {
  // Both exist only with HTTPS and on this machine.
  if (!('Notification' in globalThis) || !('locks' in navigator)) return 'missing'
  if (Notification.permission === 'denied') return 'blocked'
  return readStored('notify') === 'on' && Notification.permission === 'granted' ? 'on' : 'off'
}

/** Turns the notices on this device on or off. Asks for the permission, so call it only when the user wants it. */
export async function setDevice(isOn: boolean): Promise<void> {
  if (!isOn) writeStored('notify', undefined)
  else if ((await Notification.requestPermission()) === 'granted') {
    // Some browsers allow this but cannot do it, such as Chrome on Android. The first one shows whether it works.
    if (!show(i18n._(msg`Notices appear like this`), 'coffer-trial')) {
      device.state = 'missing'
      return
    }
    writeStored('notify', 'on')
  }
  refreshDevice()
}

/** Shows a notice in the system, unless a tab of this browser is visible. Several hidden tabs show it once. */
export async function showOnDevice(notice: Notice): Promise<void> {
  refreshDevice()
  if (device.state !== 'on' || (await isAnyVisible())) return
  show(noticeText(notice), `coffer-notice-${notice.id}`)
}

/** Shows a sentence. A second one with the same `tag` replaces it. Returns false if the browser cannot do it. */
function show(body: string, tag: string): boolean {
  try {
    const { lang, dir } = document.documentElement
    const shown = new Notification(page.Name, { body, tag, lang, dir: dir === 'rtl' ? 'rtl' : 'ltr' })
    shown.onclick = () => {
      window.focus()
      shown.close()
    }
    return true
  } catch {
    // Browsers that allow notifications only to service workers throw a TypeError.
    return false
  }
}

/** Holds the lock while this tab is visible. Called once. */
export function noteVisibility(): void {
  refreshDevice()
  onStoredChange('notify', refreshDevice)
  if (!('locks' in navigator)) return
  let release = () => {}
  const update = () => {
    release()
    if (document.visibilityState === 'hidden') return
    const hidden = Promise.withResolvers<void>()
    release = hidden.resolve
    void navigator.locks.request(visibleLock, { mode: 'shared' }, () => hidden.promise)
  }
  document.addEventListener('visibilitychange', update)
  update()
}

async function isAnyVisible(): Promise<boolean> {
  if (document.visibilityState === 'visible') return true
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name === visibleLock)
}
