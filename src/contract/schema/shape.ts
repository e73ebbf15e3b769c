import Type, { type TProperties } from 'typebox'

/**
 * An object schema for bodies and queries. Unknown keys are dropped: they are never stored and never an error, because
 * clients of other versions send more keys. A wrong type is rejected (contract/README.md#shapes).
 */
export function Shape<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

/** Like `Shape`, with all keys optional. */
export function PartialShape<P extends TProperties>(properties: P) {
  return Shape(Type.Partial(Type.Object(properties)).properties)
}
