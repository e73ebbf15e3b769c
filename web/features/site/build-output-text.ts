import { ApiProblem } from '#web/api/client.ts'

/**
 * The last lines of a generator that failed: the explanation of the server without its first words, such as
 * `hugo failed: `. Empty for any other error.
 */
export function outputOf(error: unknown): string {
  const isAboutGenerator = error instanceof ApiProblem && error.code === 'site.failed'
  return isAboutGenerator ? error.message.replace(/^\w+ failed: /, '') : ''
}
