import { type BoltEntry, readBuckets } from '#src/import/bolt/buckets.ts'
import { BoltFault } from '#src/import/bolt/pages.ts'
import { type Fields, fieldsFrom, fieldsOf } from './fields.ts'
import { isFirstUser, secondUser } from './first-version.ts'
import type { Source } from './source.ts'

/** Reads a database of File Browser, of version 1 or 2. @throws BoltFault, RecordFault. */
export function readDatabase(bytes: Buffer): Source {
  const buckets = readBuckets(bytes, ['config', 'User', 'Link', 'ShareLink'])
  const config = new Map((buckets.get('config') ?? []).map(({ key, value }) => [key.toString(), value]))
  const users = (buckets.get('User') ?? []).map(userIn)
  if (config.size === 0 && users.length === 0) throw new BoltFault('contains neither settings nor users')
  const isFirst =
    !config.has('settings') && (buckets.has('ShareLink') || users.some(isFirstUser) || config.has('css'))
  if (isFirst) {
    return {
      format: 'database of File Browser 1',
      isFirstVersion: true,
      users: users.map(secondUser),
      shares: [],
      ownerless: (buckets.get('ShareLink') ?? []).map(shareIn),
      // The event commands, the style sheet and the static site.
      settings: fieldsFrom(
        [...config].filter(([name]) => name !== 'key').map(([name, value]) => [name, jsonIn(value, name)]),
        'the settings',
      ),
      server: undefined,
      auther: undefined,
    }
  }
  const part = (name: string, where: string) => {
    const value = config.get(name)
    return value && fieldsOf(jsonIn(value, name), where)
  }
  return {
    format: 'database of File Browser 2',
    isFirstVersion: false,
    users,
    shares: (buckets.get('Link') ?? []).map(shareIn),
    ownerless: undefined,
    settings: part('settings', 'the settings'),
    server: part('server', 'the server options'),
    auther: part('auther', 'the sign-in options'),
  }
}

/** The key is the id, with 8 bytes. @throws BoltFault when the record has another id. */
function userIn({ key, value }: BoltEntry): Fields {
  const id = key.length === 8 ? key.readBigUInt64BE() : undefined
  const fields = fieldsOf(jsonIn(value, `user ${id}`), `user ${id}`)
  if (id === undefined || BigInt(fields.whole('id')) !== id)
    throw new BoltFault(`is damaged: the key of a user is not the id ${fields.whole('id')}`)
  return fields
}

/** The key is the id of the share. @throws BoltFault when the record has another one. */
function shareIn({ key, value }: BoltEntry, at: number): Fields {
  const fields = fieldsOf(jsonIn(value, `share ${at + 1}`), `share ${at + 1}`)
  if (fields.text('hash') !== key.toString())
    throw new BoltFault(`is damaged: the key of share ${at + 1} is not its id`)
  return fields
}

/** No record is longer, and a value needs far more memory than its text. */
const longestRecord = 1024 ** 2

function jsonIn(value: Buffer, what: string): unknown {
  if (value.length > longestRecord) throw new BoltFault(`contains a record that is too long: ${what}`)
  try {
    return JSON.parse(value.toString('utf8'))
  } catch (error) {
    throw new BoltFault(`is damaged: the record of ${what} is not valid JSON`, { cause: error })
  }
}
