import type { ShareRecord } from '#src/state/state.ts'

/** Something that happened at a share. Times are milliseconds since 1970. */
export type LinkEvent = {
  share: ShareRecord
  time: number
  /** The IP address of the visitor. */
  address: string
} & (
  | {
      kind: 'visit'
      /** Whether this is the first visit of the share. */
      isFirst: boolean
    }
  | {
      kind: 'download'
      /** Path in the scope of the owner. */
      path: string
      /** Bytes that were sent, over all ranges of one client. */
      bytes: number
      /** Whether everything was sent. */
      isWhole: boolean
    }
  | {
      kind: 'received'
      /** Path in the scope of the owner. */
      path: string
      /** Bytes. */
      size: number
      /** The visit to which the file belongs. */
      visit: string
      /** The name that the visitor gave. Undefined: none. */
      sender?: string | undefined
    }
  | {
      kind: 'limit'
      /** The limit that was reached. */
      limit: 'downloads' | 'visitors' | 'files' | 'bytes'
    }
)

/** Emits the events of shares. A listener must not throw. */
export function createLinkEvents() {
  const listeners: ((event: LinkEvent) => void)[] = []
  return {
    on: (listener: (event: LinkEvent) => void) => void listeners.push(listener),
    tell(event: LinkEvent): void {
      for (const listener of listeners) listener(event)
    },
  }
}

export type LinkEvents = ReturnType<typeof createLinkEvents>
