import { type Coding, codings } from '#src/core/zlib/content-coding.ts'

/** The codings of a client that the server has, best first; empty: the answer is sent as it is. */
export function acceptedCodings(acceptEncoding: string | string[] | undefined): Coding[] {
  const accepted = String(acceptEncoding ?? '')
  return accepted ? codings.filter((coding) => accepts(accepted, coding)) : []
}

/** Whether `Accept-Encoding` lists a coding with a weight above zero (RFC 9110 §12.5.3). */
export function accepts(accepted: string, coding: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .some(([name, weight = 'q=1']) => name === coding && !/^q=0(\.0*)?$/.test(weight))
}
