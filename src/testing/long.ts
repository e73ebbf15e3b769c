/**
 * Whether tests run at full length, as in `npm run nightly`. Tests that need minutes are short in `npm test`: random ones
 * try fewer cases, and what is compared in many sizes is compared in the most different ones.
 */
export const isLong = process.env.TEST_LONG === '1'

/** The number of random cases: `full` in `npm run nightly`, a quarter of it in `npm test`. */
export const rounds = (full: number) => (isLong ? full : Math.ceil(full / 4))

/** The variants of a test, such as languages or sizes: all in `npm run nightly`, the first `few` in `npm test`. */
export const variants = <Variant>(all: readonly Variant[], few = 1): readonly Variant[] =>
  isLong ? all : all.slice(0, few)
