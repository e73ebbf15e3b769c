import { SessionView } from '#contract/auth.ts'
import { EntryMetadata, FileMetadata, FolderMetadata } from '#contract/metadata.ts'
import { FileView, Item, Listing } from '#contract/resources.ts'
import { SettingsChange, SettingsView } from '#contract/settings.ts'
import { ShareView } from '#contract/shares.ts'
import { SearchHit, TreeEntry } from '#contract/tools/search.ts'
import { Permissions, Rule, Sorting, UserView } from '#contract/users.ts'

/** A JSON Schema 2020-12, which OpenAPI 3.1 uses unchanged. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas of the contract that have a name in the document. */
const named: Readonly<Record<string, object>> = {
  EntryMetadata,
  FileMetadata,
  FolderMetadata,
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

/** The named schemas, each written out once. */
export function namedSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, expanded(schema)]))
}

/** Converts a schema of the contract for the document: named schemas in it become references. */
export function schemaOf(schema: object): JsonSchema {
  const name = nameOf.get(schema)
  return name ? { $ref: `#/components/schemas/${name}` } : expanded(schema)
}

function expanded(schema: object): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, convert(value)]))
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  return typeof value === 'object' && value !== null ? schemaOf(value) : value
}
