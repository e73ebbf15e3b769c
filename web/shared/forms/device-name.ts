const programs: [name: string, sign: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
]

const systems: [name: string, sign: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

/**
 * A short form of a User-Agent header (RFC 9110 §10.1.5): `Firefox · Linux`, `curl/8.5.0`. A browser also names the
 * browsers it is compatible with, therefore the order matters. Empty if the header is empty.
 */
export function deviceName(userAgent: string): string {
  const known = [programs, systems].flatMap(
    (list) => list.find(([, sign]) => sign.test(userAgent))?.[0] ?? [],
  )
  return known.length > 0 ? known.join(' · ') : (userAgent.split(' ')[0]?.slice(0, 60) ?? '')
}
