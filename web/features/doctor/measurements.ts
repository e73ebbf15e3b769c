import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ConnectionView, Finding } from '#contract/doctor.ts'
import { api } from '#web/api/client.ts'
import { opensSocket, sendsBody, streamTimes } from '#web/api/health/measure.ts'
import { page } from '#web/shared/page.ts'
import { proxyLines, trustOption } from './proxy-lines.ts'

/** What was measured, with a text that is translated when it is shown. */
export type Measurement = Omit<Finding, 'text'> & { text: MessageDescriptor }

/** How a request has arrived, and what this browser knows about it. */
export interface Arrival {
  view: ConnectionView
  /** The time of this browser in the middle of the request, in milliseconds since 1970. */
  time: number
  /** Origin of the page. */
  origin: Pick<URL, 'host' | 'port' | 'protocol'>
  isSecure: boolean
}

const mebibyte = 1024 * 1024
const bodySizes = [11 * mebibyte, 2 * mebibyte, mebibyte / 4]
const maxClockDifferenceMs = 2 * 60_000
// The server pauses for 100 ms between two lines, 400 ms in total.
const minStreamMs = 200
// A busy browser or machine may receive the lines of one response at once, without any proxy.
const streamAttempts = 2

/** Each measurement, in the order of the page. They run one after another, so that they do not disturb each other. */
export const measurements: readonly ((signal: AbortSignal) => Promise<Measurement[]>)[] = [
  measureArrival,
  measureStream,
  measureSocket,
  measureBody,
]

async function measureArrival(signal: AbortSignal): Promise<Measurement[]> {
  const before = Date.now()
  const view = await api('GET /api/doctor/connection', undefined, { signal })
  const time = (before + Date.now()) / 2
  const arrival = { view, time, origin: new URL(location.href), isSecure: window.isSecureContext }
  return [addressOf(arrival), schemeOf(arrival), clientOf(arrival), clockOf(arrival)].flat()
}

function fine(id: string, text: MessageDescriptor): Measurement {
  return { id, level: 'ok', text, lines: [] }
}

/** Whether the server knows the host of the address in the browser. */
export function addressOf({ view: { host }, origin }: Arrival): Measurement[] {
  const address = `${origin.protocol}//${origin.host}${page.BaseURL}`
  if (host === origin.host) return [fine('host', msg`Coffer knows its address: ${address}`)]
  const text = msg`Your browser uses the host ${origin.host}, but Coffer sees ${host}. Commands can't be run, because they look like requests from another site.`
  return [{ id: 'host', level: 'warning', text, lines: proxyLines.host }]
}

/** Whether the connection is encrypted, and the server knows that. */
export function schemeOf({ view, origin, isSecure }: Arrival): Measurement[] {
  if (!isSecure) {
    const lines = [...proxyLines.https, { where: 'coffer' as const, text: '--cert FILE --key FILE' }]
    const text = msg`This connection isn't encrypted. Others in the network can read passwords and files, and some functions of the browser are turned off.`
    return [{ id: 'https', level: 'error', text, lines }]
  }
  if (origin.protocol === `${view.scheme}:`) return [fine('https', msg`The connection is secure.`)]
  if (!view.isTrusted) return [] // reported with the address of the client
  const text = msg`The proxy doesn't tell Coffer that the connection is encrypted.`
  return [{ id: 'scheme', level: 'advice', text, lines: proxyLines.scheme }]
}

/** Whether the server knows the address of this client. */
export function clientOf({ view, origin }: Arrival): Measurement[] {
  const { forwarded, isTrusted, peer, address } = view
  const ownPort = Number(origin.port) || (origin.protocol === 'https:' ? 443 : 80)
  const isProxied = forwarded.address || forwarded.scheme || peer === '' || view.port !== ownPort
  if (!isProxied || (isTrusted && forwarded.address))
    return [fine('address', msg`Coffer knows the address of your device: ${address}`)]
  if (forwarded.address) {
    const text = msg`The proxy at ${peer} sends the address of your device, but Coffer doesn't trust it. Everyone shares the limits for sign-in attempts and requests.`
    return [{ id: 'address.untrusted', level: 'warning', text, lines: trustOption(peer) }]
  }
  const lines = isTrusted ? proxyLines.address : [...proxyLines.address, ...trustOption(peer)]
  const text = msg`There seems to be a proxy that doesn't send the address of your device. Everyone shares the limits for sign-in attempts and requests.`
  return [{ id: 'address.missing', level: 'warning', text, lines }]
}

/** Whether the clocks of server and browser agree. */
export function clockOf({ view, time }: Arrival): Measurement[] {
  const seconds = Math.round(Math.abs(view.time - time) / 1000)
  if (seconds * 1000 <= maxClockDifferenceMs)
    return [fine('clock', msg`The clocks of the server and this device agree.`)]
  const text = msg`The clock of the server differs from the clock of this device by ${seconds} seconds.`
  return [{ id: 'clock', level: 'warning', text, lines: proxyLines.clock }]
}

async function measureStream(signal: AbortSignal): Promise<Measurement[]> {
  for (let n = 0; n < streamAttempts; n++) {
    const times = await streamTimes(signal)
    const took = (times.at(-1) ?? 0) - (times[0] ?? 0)
    if (took >= minStreamMs) return [fine('buffering', msg`Responses arrive without delay.`)]
  }
  const text = msg`Something between this browser and the server, such as a proxy, holds responses back until they are complete. Search results and the output of commands appear late, and large downloads may fill the disk of the proxy.`
  return [{ id: 'buffering', level: 'warning', text, lines: proxyLines.buffering }]
}

async function measureSocket(signal: AbortSignal): Promise<Measurement[]> {
  if (!page.EnableExec)
    return [fine('socket', msg`WebSockets weren't checked, because commands are turned off.`)]
  if (await opensSocket(signal)) return [fine('socket', msg`WebSockets work.`)]
  const text = msg`WebSockets don't work, so commands can't be run.`
  return [{ id: 'socket', level: 'error', text, lines: proxyLines.socket }]
}

async function measureBody(signal: AbortSignal): Promise<Measurement[]> {
  const accepted = await firstAccepted(signal)
  if (accepted === bodySizes[0]) return [fine('body', msg`Large uploads are possible.`)]
  const lines = proxyLines.body
  if (accepted === undefined) {
    const text = msg`The proxy refuses requests of 256 KB, so files can't be uploaded.`
    return [{ id: 'body', level: 'error', text, lines }]
  }
  const text =
    accepted === bodySizes[1]
      ? msg`The proxy refuses requests of 11 MB. Coffer sends files in smaller pieces, which takes longer, and other programs may fail.`
      : msg`The proxy refuses requests of 2 MB. Coffer sends files in smaller pieces, which takes longer, and other programs may fail.`
  return [{ id: 'body', level: 'warning', text, lines }]
}

async function firstAccepted(signal: AbortSignal): Promise<number | undefined> {
  for (const size of bodySizes) if (await sendsBody(size, signal)) return size
  return undefined
}
