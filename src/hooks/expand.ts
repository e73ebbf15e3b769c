import { entryOf } from '#src/core/lookup.ts'

// One word without anything that a shell would read as more than that, and references to variables in it.
const oneWord = /^(?:[^\s$`'"\\;|&<>(){}[\]*?!#~^]|\$\w+|\$\{\w+\})+$/u

/**
 * An argument with `$NAME` and `${NAME}` replaced by what `values` has for the name; other names stay as they are. Only
 * in one plain word: an argument with blanks or operators is a script for some interpreter, and the name of a file must
 * not become a part of it. A script finds the same values in its environment.
 */
export function expand(argument: string, values: Readonly<Record<string, string>>): string {
  if (!oneWord.test(argument)) return argument
  return argument.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? ''
    return entryOf(values, name) ?? whole
  })
}
