import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import { entryOf } from '#src/core/lookup.ts'

// Header names are case-insensitive (RFC 9110 §5.1), and the framework writes them in lower case. Some clients of File
// Browser compare them case-sensitively.
const spelled = ['Upload-Offset', 'Upload-Length', 'X-Renew-Token', 'X-Share-Password'].map(
  (name) => [name.toLowerCase(), name] as const,
)

/** A response that writes the names of these headers with the capitals of File Browser. */
export class CasedHeadersResponse extends ServerResponse<IncomingMessage> {
  override writeHead(status: number, ...rest: unknown[]): this {
    const last = rest.at(-1)
    const isTable = typeof last === 'object' && last !== null && !Array.isArray(last)
    const headers = isTable ? (last as OutgoingHttpHeaders) : undefined
    for (const [lower, name] of spelled) {
      const value: OutgoingHttpHeader | undefined = entryOf(headers ?? {}, lower) ?? this.getHeader(lower)
      if (value === undefined) continue
      if (headers) Reflect.deleteProperty(headers, lower)
      this.removeHeader(lower)
      this.setHeader(name, value)
    }
    return super.writeHead(status, ...(rest as [OutgoingHttpHeaders]))
  }
}
