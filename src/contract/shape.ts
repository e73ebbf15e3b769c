import Type, { type TProperties } from 'typebox'

/**
 * An object schema for bodies and queries. Keys it does not name are dropped, never stored and never an error, because
 * old and new clients send more than we know; a wrong type is refused (contract/README.md#shapes).
 */
export function Shape<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

/** As `Shape`, and every key may be missing. */
export function PartialShape<P extends TProperties>(properties: P) {
  return Shape(Type.Partial(Type.Object(properties)).properties)
}
