import { contract } from '#contract/index.ts'
import { literalPattern } from '#src/core/text/literal-pattern.ts'

const endpoints = Object.keys(contract).map((address) => {
  const [method = '', path = ''] = address.split(' ')
  return { method, pattern: patternOf(path) }
})

function patternOf(path: string): RegExp {
  // Every second part is a parameter, or the rest of the path.
  const sources = path.split(/(:\w+|\/\*$)/).map((part, n) => {
    if (n % 2 === 0) return literalPattern(part)
    return part === '/*' ? '(/.*)?' : '[^/]+'
  })
  return new RegExp(`^${sources.join('')}$`)
}

/** The methods that the contract defines for a URL, for the `Allow` header (RFC 9110 §10.2.1). */
export function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?')
  const known = endpoints.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  return known.includes('GET') ? [...known, 'HEAD'] : known
}
