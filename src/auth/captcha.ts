import { createHash } from 'node:crypto'
import { setBounded } from '#src/core/bounded-map.ts'
import { type Clock, isFuture } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'

// Nobody waits longer for a sign-in, and a service that is down must not hold our connections.
const patienceMs = 4000
// Who makes an account is signed in with it at once, and a response is good for one question only.
const carryMs = 60_000
const mostCarried = 1000

/** The service that tells people from programs: its origin and the secret it knows us by. */
export interface CaptchaService {
  host: string
  secret: string
}

/**
 * Asks a service that speaks the siteverify protocol whether a person answered its check (contract/compatibility.md#login). The service is
 * named when the server is started, and by nothing that a client sends.
 *
 * @param service undefined: nobody is checked
 */
export function createCaptcha(service: CaptchaService | undefined, clock: Clock) {
  const carried = new Map<string, number>()

  function carry(key: string): void {
    setBounded(carried, key, clock() + carryMs, mostCarried)
  }

  function take(key: string): boolean {
    const until = carried.get(key) ?? 0
    carried.delete(key)
    return until > clock() && !isFuture(until - carryMs, clock())
  }

  return {
    /**
     * Makes sure that a person has answered.
     *
     * @param isNewcomer for a sign-up: the sign-in from the same address that follows at once needs no second answer
     * @throws Problem `auth.wrong`, and `auth.unchecked` when the service cannot be asked: nobody comes in then.
     */
    async pass(response: string | undefined, address: string, { isNewcomer = false } = {}): Promise<void> {
      if (!service) return
      if (!response) throw new Problem('auth.wrong')
      const key = keyOf(response, address)
      if (!isNewcomer && take(key)) return
      if (!(await isPerson(service, response))) throw new Problem('auth.wrong')
      if (isNewcomer) carry(key)
    },
  }
}

export type Captcha = ReturnType<typeof createCaptcha>

async function isPerson({ host, secret }: CaptchaService, response: string): Promise<boolean> {
  try {
    const answer = await fetch(`${host}/recaptcha/api/siteverify`, {
      method: 'POST',
      body: new URLSearchParams({ secret, response }),
      // The secret goes to the host that was named and to no other.
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    })
    if (answer.status !== 200) throw new Error(`the check answered ${answer.status}`)
    const said: unknown = await answer.json()
    return typeof said === 'object' && said !== null && 'success' in said && said.success === true
  } catch (error) {
    throw new Problem('auth.unchecked', {}, { cause: error })
  }
}

function keyOf(response: string, address: string): string {
  return createHash('sha256').update(`${address} ${response}`).digest('base64url')
}
