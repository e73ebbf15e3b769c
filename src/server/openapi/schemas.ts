import { SessionView } from '#contract/auth.ts'
import { FileView, Item, Listing } from '#contract/resources.ts'
import { SearchHit, TreeEntry } from '#contract/search.ts'
import { SettingsChange, SettingsView } from '#contract/settings.ts'
import { ShareView } from '#contract/shares.ts'
import { Permissions, Rule, Sorting, UserView } from '#contract/users.ts'

/** A schema as JSON Schema 2020-12 writes it, which OpenAPI 3.1 takes as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The contract's shapes that have a name of their own in the document. */
const named: Readonly<Record<string, object>> = {
  FileView,
  Item,
  Listing,
  Permissions,
  Rule,
  SearchHit,
  SessionView,
  SettingsChange,
  SettingsView,
  ShareView,
  Sorting,
  TreeEntry,
  UserView,
}

const nameOf = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]))

/** The named shapes, each written out once. */
export function namedSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, written(schema)]))
}

/** A schema of the contract for the document: named shapes in it are references. */
export function schemaOf(schema: object): JsonSchema {
  const name = nameOf.get(schema)
  return name ? { $ref: `#/components/schemas/${name}` } : written(schema)
}

function written(schema: object): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inside(value)]))
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside)
  return typeof value === 'object' && value !== null ? schemaOf(value) : value
}
