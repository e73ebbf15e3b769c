/** Milliseconds since 1970. The only clock of the product, so that tests can move it. */
export type Clock = () => number
