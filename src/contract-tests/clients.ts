import { deepEqual } from 'node:assert/strict'
import type { Extra, Reply } from './client.ts'
import { type Day, openDay } from './client-day.ts'
import { calls as calls2v1 } from './recorded/2.1.2.ts'
import { calls as calls2v23 } from './recorded/2.23.0.ts'
import { calls as calls2v63 } from './recorded/2.63.23.ts'
import { rulesOf } from './rule.ts'

/**
 * One recorded call of a client: a line of `recorded/`. Words in capitals are placeholders for values that differ in
 * each run.
 */
export interface RecordedCall {
  method: string
  address: string
  carries: 'header, cookie' | 'header' | 'cookie' | 'nothing'
  accepts: 'anything' | 'image' | 'page'
  /** The length of its body, in bytes. */
  sent: number
}

/** The `Accept` header of browsers for `fetch` and media, for pictures, and for pages and frames. */
const accept = {
  anything: '*/*',
  image: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
} as const

const ofClients = rulesOf('Clients')

/**
 * The calls that three generations of the clients of File Browser make on a working day, in their order and spelling.
 */
export const clients = (
  [
    ['2.1.2', calls2v1],
    ['2.23.0', calls2v23],
    ['2.63.23', calls2v63],
  ] as const
).map(([version, text]) =>
  ofClients(`the recorded requests of a client of File Browser ${version} succeed`, async (place) => {
    const day = await openDay(place, version)
    const faults: string[] = []
    for (const call of recorded(text)) {
      const reply = await send(day, call)
      const fault = await day.faultOf(call, reply)
      if (fault) faults.push(`${call.method} ${call.address}: ${fault}`)
    }
    deepEqual(faults, [])
    await day.checkDisk()
  }),
)

function recorded(text: string): RecordedCall[] {
  const lines = text.trimEnd().split('\n').slice(1)
  return lines.map((line) => {
    const [method = '', address = '', carries = '', accepts = '', sent = ''] = line.split('\t')
    return { method, address, carries, accepts, sent: Number(sent) } as RecordedCall
  })
}

async function send(day: Day, call: RecordedCall): Promise<Reply> {
  const { headers, ...rest } = await day.extraOf(call)
  const token = day.tokenFor(call)
  const sentHeaders: Extra['headers'] = {
    Accept: accept[call.accepts],
    'Sec-Fetch-Site': 'same-origin',
    ...(call.carries.includes('header') && { 'X-Auth': token }),
    ...(call.carries.includes('cookie') && { Cookie: `auth=${token}` }),
    ...headers,
  }
  const method = call.method === 'WS' ? 'GET' : call.method
  return day.call(method, day.addressOf(call), { headers: sentHeaders, ...rest })
}
