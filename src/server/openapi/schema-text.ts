import { escapeHtml } from '#src/core/text/escape-html.ts'
import type { JsonSchema } from './schemas.ts'
import type { Content } from './shapes.ts'

/** The media types of a body or a response and their schemas, as HTML. */
export function contentText(content: Content): string {
  const each = Object.entries(content).map(([type, { schema }]) => {
    const shape = schema && type.includes('json') ? ` ${typeText(schema)}` : ''
    return `<li><code>${type}</code>${shape}</li>`
  })
  return `<ul class="content">${each.join('')}</ul>`
}

/** Describes a schema for readers, as HTML; the fields of an object are a list. */
export function typeText(schema: JsonSchema): string {
  const { $ref, anyOf, enum: values, const: only, items, properties, additionalProperties } = schema
  if (typeof $ref === 'string') return link($ref)
  if (Array.isArray(anyOf)) return anyOf.map(typeText).join(' or ')
  if (Array.isArray(values)) return values.map(literal).join(', ')
  if (only !== undefined) return literal(only)
  if (isSchema(items)) return `list of ${typeText(items)}`
  if (isSchema(properties)) return fields(properties, (schema.required ?? []) as string[])
  if (isSchema(additionalProperties)) return `object of ${typeText(additionalProperties)}`
  return `${escapeHtml(String(schema.type ?? 'anything'))}${bounds(schema)}`
}

function fields(properties: JsonSchema, required: readonly string[]): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : ' <span class="quiet">optional</span>'
    return `<li><code>${escapeHtml(name)}</code>${optional}: ${typeText(schema as JsonSchema)}</li>`
  })
  return lines.length > 0 ? `object<ul class="fields">${lines.join('')}</ul>` : 'object'
}

function bounds({ maxLength, minimum, maximum, maxItems }: JsonSchema): string {
  const limits = [
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} items`,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
  ].filter(Boolean)
  return limits.length > 0 ? ` <span class="quiet">${limits.join(' ')}</span>` : ''
}

function link(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1)
  return `<a href="#shape-${name}">${name}</a>`
}

function literal(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
