import { ownEntry } from './entry-of.ts'

const symbols: Record<string, string> = {
  Mod: 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Delete: 'Del',
}

/** A shortcut as printed on the keyboard: `Mod+c` is `Ctrl+C`, on Apple devices `⌘C`. */
export function keyText(keys: string, isApple = /Mac|iP(hone|ad)/.test(navigator.platform)): string {
  const parts = keys
    .split('+')
    .map((part) => ownEntry(symbols, part) ?? (part.length === 1 ? part.toUpperCase() : part))
  return isApple
    ? parts.join('').replace('Ctrl', '⌘').replace('Alt', '⌥').replace('Shift', '⇧')
    : parts.join('+')
}
