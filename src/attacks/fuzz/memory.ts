import type { TestResponse } from '../line.ts'
import { type Kind, kinds, type Text } from './values.ts'

/** Stores ids, hashes and paths from responses, for later requests. */
export function createMemory() {
  const known = new Map<Kind, string[]>(kinds.map((kind) => [kind, []]))

  function add(kind: Kind, value: unknown): void {
    const values = known.get(kind) ?? []
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    if (text !== '' && text.length < 500 && !values.includes(text) && values.length < 100) values.push(text)
  }

  function addAll(value: unknown, depth = 0): void {
    if (Array.isArray(value) && depth < 4) for (const each of value.slice(0, 20)) addAll(each, depth + 1)
    else if (typeof value === 'object' && value !== null) addFields(value as Record<string, unknown>, depth)
  }

  function addFields(
    { hash, id, ticket, token, selection, path, items }: Record<string, unknown>,
    depth: number,
  ): void {
    add('hash', hash)
    add(typeof id === 'number' ? 'id' : 'session', id)
    add('ticket', ticket ?? token)
    add('selection', selection)
    add('path', typeof path === 'string' && path.replace(/^\/+/, ''))
    addAll(items, depth + 1)
  }

  return {
    /** Stores the values in a response. */
    learn({ headers, text }: Pick<TestResponse, 'headers' | 'text'>): void {
      add('etag', headers.etag)
      add('upload', headers['upload-id'])
      add('id', /\/settings\/users\/(\d+)$/.exec(headers.location ?? '')?.[1])
      if (!/json/.test(headers['content-type'] ?? '') || text.length > 100_000) return
      try {
        addAll(JSON.parse(text))
      } catch {
        // The contract check decides whether this should have been JSON.
      }
    },

    /** Returns the text of a request, with learned values filled in. */
    fill(text: Text): string {
      if (typeof text === 'string') return text
      const values = known.get(text.learned) ?? []
      return values[text.at % Math.max(values.length, 1)] ?? `<${text.learned}>`
    },
  }
}

export type Memory = ReturnType<typeof createMemory>
