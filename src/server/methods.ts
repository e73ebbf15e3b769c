import { contract } from '#contract/index.ts'

const endpoints = Object.keys(contract).map((address) => {
  const [method = '', path = ''] = address.split(' ')
  return { method, pattern: patternOf(path) }
})

function patternOf(path: string): RegExp {
  const source = path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\/\*$/, '(/.*)?')
  return new RegExp(`^${source}$`)
}

/** The methods that the contract defines for a URL, for the `Allow` header (RFC 9110 §10.2.1). */
export function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?')
  const known = endpoints.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  return known.includes('GET') ? [...known, 'HEAD'] : known
}
