/** The reason why a record cannot be imported, as a sentence without the name of the file. */
export class RecordFault extends Error {
  override name = 'RecordFault'
}

/**
 * The fields of an object that File Browser wrote. Names match in any case, because its YAML exports have lower case
 * names. A missing field and null are the same, as in Go.
 */
export interface Fields {
  /** The name of the object, for messages: `user 3`. */
  readonly where: string
  /** Whether the field exists and is not null. */
  has(name: string): boolean
  /** @throws RecordFault when the field is not text. Empty when it is missing. */
  text(name: string): string
  /** @throws RecordFault when the field is neither true nor false. False when it is missing. */
  flag(name: string): boolean
  /** @throws RecordFault when the field is not a whole number. Zero when it is missing. */
  whole(name: string): number
  /** @throws RecordFault when the field is not a list. Empty when it is missing. */
  list(name: string): readonly unknown[]
  /** @throws RecordFault when an entry is not text. */
  texts(name: string): readonly string[]
  /** @throws RecordFault when the field is not an object. Has no fields when it is missing. */
  fields(name: string): Fields
  /** @throws RecordFault when an entry is not an object. */
  objects(name: string): readonly Fields[]
  /** The names of all fields, as written. */
  names(): readonly string[]
}

/** Reads the fields of a value. @throws RecordFault when it is not an object. */
export function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RecordFault(`${where} must be an object`)
  return fieldsFrom(Object.entries(value), where)
}

/** Makes fields of names and values. Of names that differ only in case, the last one counts. */
export function fieldsFrom(entries: readonly (readonly [string, unknown])[], where: string): Fields {
  // A map, so that no name can reach a property of objects such as `__proto__`.
  const values = new Map(entries.map(([name, value]) => [name.toLowerCase(), value]))
  const names = entries.map(([name]) => name)

  function read<T>(
    name: string,
    of: { isValid: (value: unknown) => boolean; expected: string; missing: T },
  ): T {
    const value = values.get(name.toLowerCase())
    if (value === undefined || value === null) return of.missing
    if (!of.isValid(value)) throw new RecordFault(`${name} of ${where} must be ${of.expected}`)
    return value as T // isValid has checked it
  }

  const list = (name: string) =>
    read<readonly unknown[]>(name, { isValid: Array.isArray, expected: 'a list', missing: [] })
  const isText = (value: unknown): value is string => typeof value === 'string'
  const text = { isValid: isText, expected: 'text', missing: '' }
  const flag = {
    isValid: (value: unknown) => typeof value === 'boolean',
    expected: 'true or false',
    missing: false,
  }
  const whole = { isValid: Number.isSafeInteger, expected: 'a whole number', missing: 0 }
  return {
    where,
    has: (name) => (values.get(name.toLowerCase()) ?? null) !== null,
    text: (name) => read(name, text),
    flag: (name) => read(name, flag),
    whole: (name) => read(name, whole),
    list,
    texts(name) {
      const all = list(name)
      if (!all.every(isText)) throw new RecordFault(`${name} of ${where} must be a list of texts`)
      return all
    },
    fields(name) {
      const value = values.get(name.toLowerCase()) ?? {}
      return fieldsOf(value, `${name} of ${where}`)
    },
    objects: (name) => list(name).map((one, at) => fieldsOf(one, `${name} ${at + 1} of ${where}`)),
    names: () => names,
  }
}
