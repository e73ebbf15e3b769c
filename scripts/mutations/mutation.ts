/** A small fault, such as a person makes when they change the code. */
export interface Mutation {
  file: string
  /** Text that occurs exactly once in the file. */
  find: string
  replace: string
  /** What is wrong then: completes the sentence "With the fault, …". */
  what: string
}
