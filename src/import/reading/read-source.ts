import { isUtf8 } from 'node:buffer'
import { isBolt } from '#src/import/bolt/pages.ts'
import { readDatabase } from './database.ts'
import { fieldsOf, RecordFault } from './fields.ts'
import type { Source } from './source.ts'

/** The largest files that are read, in bytes. YAML needs far more memory than JSON. */
export const mostBytes = { database: 32 * 1024 ** 2, json: 16 * 1024 ** 2, yaml: 1024 ** 2 }

/**
 * Reads the content of a file: a database, or an export of the configuration or of the users in JSON or YAML. Recognizes
 * them by the content, so that a file may have any name.
 *
 * @throws RecordFault, BoltFault for anything else.
 */
export async function readSource(bytes: Buffer): Promise<Source> {
  if (bytes.length === 0) throw new RecordFault('it is empty')
  if (isBolt(bytes)) {
    limit(bytes, mostBytes.database)
    return readDatabase(bytes)
  }
  return exportIn(await parse(bytes))
}

function limit({ length }: Buffer, most: number): void {
  if (length > most) throw new RecordFault(`it is larger than ${most / 1024 ** 2} MiB`)
}

async function parse(bytes: Buffer): Promise<unknown> {
  // Other files, such as a database whose beginning is lost, have bytes that no text has.
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new RecordFault('it is neither a database nor an export of File Browser')
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const isJson = /^\s*[[{]/.test(text)
  if (!isJson && bytes.length > mostBytes.yaml)
    throw new RecordFault('it is larger than 1 MiB: export it as JSON instead of YAML')
  limit(bytes, mostBytes.json)
  try {
    return isJson ? JSON.parse(text) : await parseYaml(text)
  } catch (error) {
    // A RangeError means that it is nested too deeply.
    const [reason] = String((error as Error).message).split('\n', 1)
    throw new RecordFault(`it is not valid ${isJson ? 'JSON' : 'YAML'} (${reason})`, { cause: error })
  }
}

/** Exports have no aliases. Without them, a small file cannot become a large value. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  return parse(text, { maxAliasCount: 0, logLevel: 'error', uniqueKeys: false, stringKeys: true })
}

const nothing = {
  ...{ users: undefined, shares: undefined, ownerless: undefined, settings: undefined, server: undefined },
  ...{ auther: undefined, isFirstVersion: false },
}

function exportIn(content: unknown): Source {
  if (Array.isArray(content)) {
    const users = content.map((one, at) => fieldsOf(one, `user ${at + 1}`))
    if (users.length === 0) throw new RecordFault('it contains no users')
    return { ...nothing, format: 'export of users', users }
  }
  if (typeof content !== 'object' || content === null)
    throw new RecordFault('it is neither a database nor an export of File Browser')
  const all = fieldsOf(content, 'the configuration')
  if (all.has('credentials') && all.has('nextUserId'))
    throw new RecordFault('it is the state of Coffer: use it with --database')
  if (!all.has('settings')) throw new RecordFault('it is neither a database nor an export of File Browser')
  return {
    ...nothing,
    format: 'export of the configuration',
    settings: fieldsOf(partOf(content, 'settings'), 'the settings'),
    server: all.has('server') ? fieldsOf(partOf(content, 'server'), 'the server options') : undefined,
    auther: all.has('auther') ? fieldsOf(partOf(content, 'auther'), 'the sign-in options') : undefined,
  }
}

function partOf(content: object, name: string): unknown {
  return Object.entries(content).findLast(([key]) => key.toLowerCase() === name)?.[1]
}
