import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { contract } from './index.ts'
import type { Endpoint } from './schema/endpoint.ts'

const calls = Object.entries(contract as Record<string, Endpoint>)

t.test('every endpoint is declared in exactly one file', async (t) => {
  const files = globSync(join(import.meta.dirname, '{*,history/*,notices/*,tools/*}.ts')).filter(
    (file) => !/\.test\.ts$|index\.ts$/.test(file),
  )
  const declared: string[] = []
  for (const file of files) {
    for (const exported of Object.values(await import(file))) {
      if (typeof exported !== 'object' || exported === null) continue
      declared.push(...Object.keys(exported).filter((key) => /^(GET|POST|PUT|PATCH|DELETE) \//.test(key)))
    }
    t.ok(basename(file))
  }
  t.strictSame(declared.sort(), calls.map(([address]) => address).sort())
})

t.test('every endpoint has a summary in one line', async (t) => {
  for (const [address, { summary }] of calls) t.match(summary, /^[A-Z][^\n]{5,}[^.\s]$/, address)
})

t.test('the segments of an address match its parameters', async (t) => {
  for (const [address, { params }] of calls) {
    const inAddress = [...address.matchAll(/:(\w+)|(\*)/g)].map(([, name, star]) => name ?? star)
    const declared = Object.keys((params as { properties?: object } | undefined)?.properties ?? {})
    t.strictSame(declared.sort(), inAddress.sort(), address)
  }
})

t.test('GET endpoints have no body, and bytes of a file are never parsed', async (t) => {
  for (const [address, { body, hasRawBody: bytes }] of calls) {
    if (address.startsWith('GET ')) t.notOk(body ?? bytes, address)
    t.notOk(body && bytes, address)
  }
})

t.test('only endpoints for content, exports and commands accept a ticket in the address', async (t) => {
  for (const [address, { ticket }] of calls)
    if (ticket) t.match(address, /^GET \/api\/(raw|preview|subtitle|command|audit\/export|trash\/:id\/raw)\b/)
})
