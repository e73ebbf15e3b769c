import { entryOf } from '#src/core/lookup.ts'
import { userNameKey } from '#src/core/text/user-names.ts'

// The most common words in lists of leaked passwords, in the most common languages of these lists.
const words = `
password passwort passwd passcode passphrase qwerty azerty letmein welcome hello iloveyou loveyou lovely sunshine princess
dragon monkey football baseball basketball soccer hockey superman batman spiderman pokemon starwars master shadow michael
jordan jessica ashley daniel charlie thomas george andrew matthew joshua anthony robert william jennifer michelle nicole
summer winter spring autumn january february march april june july august september october november december monday
tuesday wednesday thursday friday saturday sunday flower cheese cookie chocolate banana orange purple yellow silver golden
computer internet samsung google apple facebook windows linux server admin administrator root superuser sysadmin user guest
test testing tester demo temp default changeme change secret private access login secure security system manager support
office company coffer file files filebrowser freedom whatever trustno trustnoone mustang ferrari porsche harley killer
hunter ranger tigger tiger eagle falcon phoenix ninja pepper ginger maggie buster bailey liverpool chelsea arsenal
barcelona madrid love baby angel jesus family mother father money hallo schatz geheim schalke sommer motdepasse bonjour
soleil doudou loulou contrasena clave senha amor teamo hola parola ciao juventus haslo heslo parool wachtwoord welkom
salasana losenord passord jelszo sifre kennwort
`
  .trim()
  .split(/\s+/)

// Sequences of keyboard keys and of letters. Some continue with their beginning. Each is also used in reverse.
const runs = [
  ...['01234567890', '00112233445566778899', 'abcdefghijklmnopqrstuvwxyza', 'aabbccddeeffgghhiijj'],
  ...['qwertyuiopasdfghjklzxcvbnmq', 'qwertzuiopasdfghjklyxcvbnmq', 'azertyuiopqsdfghjklmwxcvbn'],
  ...[
    '1q2w3e4r5t6y7u8i9o0p',
    'q1w2e3r4t5y6u7i8o9p0',
    '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
    'a1s2d3f4g5h6j7k8l9',
  ],
  ...[
    'qazwsxedcrfvtgbyhnujmikolp',
    '1a2b3c4d5e6f7g8h9i0j',
    'a1b2c3d4e5f6g7h8i9j0',
    '!@#$%^&*()',
    '!"§$%&/()=',
  ],
  ...['147258369', '159357', '741852963', 'zaq12wsxcde34rfvbgt56yhn'],
].flatMap((run) => [run, [...run].reverse().join('')])

const shortestRun = 3

// Characters that replace letters; a `1` may replace `i` or `l`.
const signs: Record<string, string> = {
  ...{ '@': 'a', '4': 'a', '8': 'b', '(': 'c', '3': 'e', '6': 'g', '9': 'g', '!': 'i', '1': 'i', '|': 'l' },
  ...{ '0': 'o', $: 's', '5': 's', '7': 't', '+': 't', '2': 'z' },
}

/**
 * Estimates how hard a password is to guess, as a number of unpredictable letters. Predictable are: common words,
 * sequences of keys or letters, repetitions, the given names, characters that replace letters, and digits and symbols
 * around all these. The first two common words count nothing; each further one counts as two letters.
 */
export function estimateStrength(password: string, names: readonly string[]): number {
  const chars = [...userNameKey(password)]
  if (isRepetition(chars)) return 0
  const { isKnown, found } = markKnown(chars, piecesOf(names))
  const left = chars.flatMap((char, at) => (isKnown[at] || /\s/.test(char) ? [] : [char]))
  // Digits and symbols at the ends of a password with letters are predictable. Without letters each counts half.
  const weight = chars.some(isLetter) ? weigh(left) : left.length / 2
  return weight + Math.max(0, found.size - 2) * 2
}

/** Whether the password only repeats one piece of up to eight characters. */
function isRepetition(chars: readonly string[]): boolean {
  return [1, 2, 3, 4, 5, 6, 7, 8].some(
    (period) =>
      chars.length >= 2 * period && chars.every((char, at) => at < period || char === chars[at - period]),
  )
}

function piecesOf(names: readonly string[]): string[] {
  const keys = names.map(userNameKey).flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)])
  return [...words, ...keys.filter((key) => key.length > 2)]
}

/** Finds the characters in known pieces or sequences (the longest at each position), and the known words. */
function markKnown(chars: readonly string[], pieces: readonly string[]) {
  // One UTF-16 unit for each character, so that indexes agree.
  const raw = chars.map((char) => (char.length === 1 ? char : asSingleUnit(char))).join('')
  const plain = raw.replace(/[^\0-\x7f]/g, (char) => char.normalize('NFD')[0] ?? char)
  const spelt = ['i', 'l'].map((one) =>
    plain.replace(/[^a-z]/g, (char) => (char === '1' ? one : (entryOf(signs, char) ?? char))),
  )
  const isKnown: boolean[] = chars.map(() => false)
  const found = new Set<string>()
  for (let at = 0; at < raw.length; ) {
    const fits = pieces.filter((piece) => [raw, plain, ...spelt].some((text) => text.startsWith(piece, at)))
    const word = fits.reduce((longest, one) => (one.length > longest.length ? one : longest), '')
    const length = Math.max(word.length, runAt(plain, at))
    if (word && word.length === length) found.add(word)
    isKnown.fill(true, at, at + length)
    at += length || 1
  }
  return { isKnown, found }
}

/** The length of the longest sequence or repeated character that begins at an index; 0 for none. */
function runAt(text: string, at: number): number {
  let longest = 1
  while (text[at + longest] === text[at]) longest++
  for (const run of runs) {
    let length = longest
    while (at + length < text.length && run.includes(text.slice(at, at + length + 1))) length++
    if (run.includes(text.slice(at, at + length))) longest = length
  }
  return longest < shortestRun ? 0 : longest
}

/** A letter counts 1. Other characters count 0.5 between the first and the last letter, and 0 outside. */
function weigh(left: readonly string[]): number {
  const core = left.slice(Math.max(0, left.findIndex(isLetter)), left.findLastIndex(isLetter) + 1)
  return core.reduce((sum, char) => sum + (isLetter(char) ? 1 : 0.5), 0)
}

function isLetter(char: string): boolean {
  return /[^\0-\x7f]|[a-z]/.test(char)
}

/** Maps a character of two UTF-16 units to one private-use unit. Different characters usually stay different. */
function asSingleUnit(char: string): string {
  return String.fromCharCode(0xe000 + ((char.codePointAt(0) ?? 0) % 0x1900))
}
