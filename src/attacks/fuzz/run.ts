import fc from 'fast-check'
import { type AttackerGroup, attackers, document, play, requestOf } from './episode.ts'
import { aStep, type Step } from './grammar.ts'
import { createMemory } from './memory.ts'

/** The number of requests sent, and the failures. */
export interface Outcome {
  requests: number
  /** Each with its seed and the shortest sequence of requests found that reproduces it. */
  failures: string[]
}

const maxSteps = 60
// Time limit for shrinking a failure, in milliseconds.
const shrinkMs = 60_000

/**
 * Plays `episodes` random episodes, half of them with an administrator among the users. Each has up to 60 requests
 * and its own server. The same seed produces the same requests. Stops at the first failure of each half.
 */
export async function fuzz(seed: number, episodes: number): Promise<Outcome> {
  const outcome: Outcome = { requests: 0, failures: [] }
  for (const cast of Object.keys(attackers) as AttackerGroup[]) {
    for (const steps of fc.sample(stepsOf(cast), { seed, numRuns: Math.ceil(episodes / 2) })) {
      const { faults, requestCount } = await play(cast, steps)
      outcome.requests += requestCount
      if (faults.length === 0) continue
      outcome.failures.push(await report(cast, seed, steps.slice(0, requestCount)))
      break
    }
  }
  return outcome
}

function stepsOf(cast: AttackerGroup): fc.Arbitrary<Step[]> {
  return fc.array(aStep(document, attackers[cast]), { minLength: 20, maxLength: maxSteps, size: 'max' })
}

/** Removes as many steps as possible while the failure remains: first halves, then smaller and smaller chunks. */
async function shrunk(cast: AttackerGroup, steps: readonly Step[]): Promise<readonly Step[]> {
  const startedAt = performance.now()
  let left = steps
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    // Goes from the end to the start, so that a removed chunk does not shift the chunks still to be tried.
    for (let at = left.length - size; at > -size && performance.now() - startedAt < shrinkMs; at -= size) {
      const fewer = left.filter((_, index) => index < at || index >= at + size)
      if ((await play(cast, fewer)).faults.length > 0) left = fewer
    }
  }
  return left
}

async function report(cast: AttackerGroup, seed: number, steps: readonly Step[]): Promise<string> {
  const few = await shrunk(cast, steps)
  // Plays once more, because the last attempt may have removed a needed step.
  const { faults } = await play(cast, few)
  const memory = createMemory()
  const lines = few.map((step) => {
    const { method, url, headers, body } = requestOf(step, memory)
    const sent = Object.entries(headers).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    const more = [...sent, ...(body === undefined ? [] : [`body ${JSON.stringify(body.slice(0, 500))}`])]
    return `  ${step.user || 'a stranger'}: ${method} ${url} (${more.join('; ')})`
  })
  return [`seed ${seed}, ${cast}: ${faults.join('; ')}`, 'after these requests:', ...lines].join('\n')
}
