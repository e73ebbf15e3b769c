import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import t from 'tap'
import { codecFiles } from './codec-files.ts'
import { capMemory, pageBytes } from './wasm-memory.ts'

interface Wasm {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: { m: { grow(pages: number): number; buffer: ArrayBuffer } } }
}
const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly

const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const exported = [7, 5, 1, 1, 0x6d, 2, 0]
/** Makes a module with one memory with these limits, exported as `m`. */
const withMemory = (limits: number[]) =>
  Uint8Array.from([...head, 5, limits.length + 1, 1, ...limits, ...exported])

t.test('memory cannot grow beyond the given maximum, even if the module declares a larger one', async (t) => {
  const modules = {
    'no maximum': withMemory([0, 1]),
    'a maximum of 2 GiB': withMemory([1, 1, 0x80, 0x80, 0x02]),
  }
  for (const [name, bytes] of Object.entries(modules)) {
    const { m } = new Instance(new Module(capMemory(bytes, 300 * pageBytes + 1))).exports
    t.equal(m.grow(299), 1, name)
    t.equal(m.buffer.byteLength, 300 * pageBytes)
    t.throws(() => m.grow(1), RangeError, name)
  }
})

t.test('rejects a module whose memory cannot be limited', async (t) => {
  t.throws(() => capMemory(Uint8Array.from(head), pageBytes), /no memory/)
  t.throws(() => capMemory(withMemory([3, 1, 9]), pageBytes), /another kind/)
  t.throws(() => capMemory(Uint8Array.from([...head, 5]), pageBytes), /cut off/)
  t.throws(() => capMemory(Uint8Array.from([...head, 5, 0x80]), pageBytes), /cut off/)
})

t.test('the memory of every codec can be limited', async (t) => {
  const { resolve } = createRequire(import.meta.url)
  for (const [name, file] of Object.entries(codecFiles)) {
    const bytes = readFileSync(resolve(file))
    t.ok(new Module(capMemory(bytes, 80 * 1024 * 1024)), name)
    t.throws(() => new Module(capMemory(bytes, pageBytes)), `${name} starts with more than one page`)
  }
})
