// npm run fuzz -- [--seed N] [--seconds 60]: sends random requests, generated from our API description, and checks
// after each one that all invariants hold. It starts a new server after every few requests. The same seed makes the
// same requests. Without a seed it chooses a random one and prints it.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { fuzz } from '#src/attacks/fuzz/run.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seconds: { type: 'string', default: '60' } },
})
const first = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
const seconds = Number(values.seconds)
if (!Number.isInteger(first) || !(seconds > 0))
  throw new Error('--seed must be a whole number, and --seconds a number above 0')

// One process runs many servers in turn, and each adds listeners for its own log.
process.setMaxListeners(0)
const episodesAtOnce = 20
const startMs = performance.now()
const known = new Set<string>()
let requests = 0
for (let seed = first; (performance.now() - startMs) / 1000 < seconds; seed++) {
  const outcome = await fuzz(seed, episodesAtOnce)
  requests += outcome.requests
  for (const failure of outcome.failures) {
    // Failures that differ only in ids and paths are printed once.
    const kind = failure.split('\n')[0]?.replace(/^seed \d+|[\w-]{20,}|\d+|\/[^ ]*/g, '') ?? ''
    if (!known.has(kind))
      console.log(`${failure}\nTo repeat it: npm run fuzz -- --seed ${seed} --seconds 1\n`)
    known.add(kind)
  }
}
const took = ((performance.now() - startMs) / 1000).toFixed(0)
console.log(`${requests} requests in ${took} s, starting at seed ${first}: ${known.size} different failures`)
process.exitCode = known.size > 0 ? 1 : 0
