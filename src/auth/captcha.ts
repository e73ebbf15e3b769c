import { createHash } from 'node:crypto'
import { type Clock, isFuture } from '#src/core/clock.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import { Problem } from '#src/core/problem.ts'

// A sign-in must not wait longer, and a captcha service that is down must not hold our connections.
const timeoutMs = 4000
// The page signs in directly after a sign-up, but the captcha service accepts each response only once.
const reuseMs = 60_000
const mostReusable = 1000

/** The captcha service: its origin and the secret that identifies this instance. */
export interface CaptchaService {
  host: string
  secret: string
}

/**
 * Verifies captcha responses with a service that has the siteverify protocol (contract/compatibility.md#login). The
 * service is set when the server starts, never by a client.
 *
 * @param service undefined: no captcha is required
 */
export function createCaptcha(service: CaptchaService | undefined, clock: Clock) {
  const reusable = new Map<string, number>()

  function allowReuse(key: string): void {
    setBounded(reusable, key, clock() + reuseMs, mostReusable)
  }

  function consume(key: string): boolean {
    const until = reusable.get(key) ?? 0
    reusable.delete(key)
    return until > clock() && !isFuture(until - reuseMs, clock())
  }

  return {
    /**
     * Checks that a human solved the captcha.
     *
     * @param isNewcomer for a sign-up: the next sign-in from the same address within one minute may reuse the response
     * @throws Problem `auth.wrong`, and `auth.unchecked` when the service fails: the sign-in is refused then.
     */
    async verify(response: string | undefined, address: string, { isNewcomer = false } = {}): Promise<void> {
      if (!service) return
      if (!response) throw new Problem('auth.wrong')
      const key = keyOf(response, address)
      if (!isNewcomer && consume(key)) return
      if (!(await isPerson(service, response))) throw new Problem('auth.wrong')
      if (isNewcomer) allowReuse(key)
    },
  }
}

export type Captcha = ReturnType<typeof createCaptcha>

async function isPerson({ host, secret }: CaptchaService, response: string): Promise<boolean> {
  try {
    const reply = await fetch(`${host}/recaptcha/api/siteverify`, {
      method: 'POST',
      body: new URLSearchParams({ secret, response }),
      // A redirect must not send the secret to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (reply.status !== 200) throw new Error(`the captcha service responded with ${reply.status}`)
    const result: unknown = await reply.json()
    return typeof result === 'object' && result !== null && 'success' in result && result.success === true
  } catch (error) {
    throw new Problem('auth.unchecked', {}, { cause: error })
  }
}

function keyOf(response: string, address: string): string {
  return createHash('sha256').update(`${address} ${response}`).digest('base64url')
}
