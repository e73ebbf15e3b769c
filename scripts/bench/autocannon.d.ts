declare module 'autocannon' {
  interface Client {
    setRequests(requests: readonly { method: string; path: string }[]): void
  }
  interface Options {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    headers?: Record<string, string>
    setupClient?: (client: Client) => void
  }
  /** Sends requests for a time. */
  export default function autocannon(
    options: Options,
  ): Promise<{ requests: { average: number }; non2xx: number; errors: number }>
}
