import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ownEntry } from './entry-of.ts'

/** As printed on the keyboards of the language. */
const names: Record<string, MessageDescriptor> = {
  Mod: msg({ message: 'Ctrl', context: 'key' }),
  Shift: msg({ message: 'Shift', context: 'key' }),
  Escape: msg({ message: 'Esc', context: 'key' }),
  Delete: msg({ message: 'Del', context: 'key' }),
  Enter: msg({ message: 'Enter', context: 'key' }),
  Space: msg({ message: 'Space', context: 'key' }),
  Backspace: msg({ message: 'Backspace', context: 'key' }),
  PageDown: msg({ message: 'Page Down', context: 'key' }),
}

const signs: Record<string, string> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' }
const appleSigns: Record<string, string> = { Mod: '⌘', Alt: '⌥', Shift: '⇧' }

/** A shortcut as printed on the keyboard: `Mod+c` is `Ctrl+C`, in German `Strg+C`, on Apple devices `⌘C`. */
export function keyText(keys: string, isApple = /Mac|iP(hone|ad)/.test(navigator.platform)): string {
  const text = (key: string) => {
    const name = ownEntry(names, key)
    return ownEntry(signs, key) ?? (name ? i18n._(name) : key.length === 1 ? key.toUpperCase() : key)
  }
  const parts = keys.split('+').map((key) => (isApple && ownEntry(appleSigns, key)) || text(key))
  return parts.join(isApple ? '' : '+')
}
