import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import type { Endpoint } from './endpoint.ts'
import { contract } from './index.ts'

const calls = Object.entries(contract as Record<string, Endpoint>)

t.test('every call has one place: no noun declares what another has', async (t) => {
  const nouns = globSync(join(import.meta.dirname, '*.ts')).filter(
    (file) => !/\.test\.ts$|index\.ts$/.test(file),
  )
  const declared: string[] = []
  for (const file of nouns) {
    for (const exported of Object.values(await import(file))) {
      if (typeof exported !== 'object' || exported === null) continue
      declared.push(...Object.keys(exported).filter((key) => /^(GET|POST|PUT|PATCH|DELETE) \//.test(key)))
    }
    t.ok(basename(file))
  }
  t.strictSame(declared.sort(), calls.map(([address]) => address).sort())
})

t.test('every call says in one line what it does', async (t) => {
  for (const [address, { summary }] of calls) t.match(summary, /^[A-Z][^\n]{5,}[^.\s]$/, address)
})

t.test('the segments of an address and its parameters are the same', async (t) => {
  for (const [address, { params }] of calls) {
    const inAddress = [...address.matchAll(/:(\w+)|(\*)/g)].map(([, name, star]) => name ?? star)
    const declared = Object.keys((params as { properties?: object } | undefined)?.properties ?? {})
    t.strictSame(declared.sort(), inAddress.sort(), address)
  }
})

t.test('a call that reads has no body, and bytes of a file are never parsed', async (t) => {
  for (const [address, { body, bytes }] of calls) {
    if (address.startsWith('GET ')) t.notOk(body ?? bytes, address)
    t.notOk(body && bytes, address)
  }
})

t.test('what a stranger may call is on this list and nowhere else', async (t) => {
  const open = calls.filter(([, { access }]) => access === 'public').map(([address]) => address)
  t.strictSame(
    open.filter((address) => !/ \/(api\/(login|signup|openapi\.json|docs|public\/)|health)/.test(address)),
    [],
  )
})

t.test('a ticket in an address opens bytes and commands, which change nothing by themselves', async (t) => {
  for (const [address, { ticket }] of calls)
    if (ticket) t.match(address, /^GET \/api\/(raw|preview|subtitle|command)\b/)
})
