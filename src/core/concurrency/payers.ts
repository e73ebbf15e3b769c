import type { Entry, Turns } from './semaphore.ts'

/**
 * Whose share work is counted in: a user's, or that of the network from which somebody opened a link. Visitors never take
 * from users, least of all from the owner of the link.
 */
export interface Payer {
  readonly key: string
  /** The link that a visitor opened; undefined for users. */
  readonly link?: string
}

/** Turns in two parts: one for users, one for visitors of links. */
export interface PaidTurns {
  /** @throws as `Turns.enter`. */
  enter(payer: Payer, how: Entry): Promise<Disposable>
  /** As `Turns.tryEnter`. */
  tryEnter(payer: Payer, size?: number): Disposable | undefined
  readonly users: Turns
  readonly visitors: Turns
  /** How many wait at the moment. */
  readonly waiting: number
}

/** Keeps the shares of users and of visitors apart. */
export function apart(users: Turns, visitors: Turns): PaidTurns {
  const of = ({ link }: Payer) => (link === undefined ? users : visitors)
  return {
    users,
    visitors,
    get waiting() {
      return users.waiting + visitors.waiting
    },
    enter: (payer, how) => of(payer).enter(payer.key, how),
    tryEnter: (payer, size) => of(payer).tryEnter(payer.key, size),
  }
}

/**
 * Turns that visitors of one link share: the networks that visit it wait for each other in `networks`, one request of
 * each at a time, and only then for other links in `links`.
 */
export function byLink(users: Turns, { networks, links }: { networks: Turns; links: Turns }): PaidTurns {
  const ofNetwork = ({ key, link }: Payer) => `${link} ${key}`
  const both = (first: Disposable, second: Disposable): Disposable => {
    const held = new DisposableStack()
    held.use(first)
    held.use(second)
    return held
  }
  return {
    users,
    visitors: links,
    get waiting() {
      return users.waiting + networks.waiting + links.waiting
    },
    async enter(payer, how) {
      const { link } = payer
      if (link === undefined) return users.enter(payer.key, how)
      const own = await networks.enter(ofNetwork(payer), how)
      try {
        return both(own, await links.enter(link, how))
      } catch (error) {
        own[Symbol.dispose]()
        throw error
      }
    },
    tryEnter(payer, size) {
      const { link } = payer
      if (link === undefined) return users.tryEnter(payer.key, size)
      const own = networks.tryEnter(ofNetwork(payer), size)
      const turn = own && links.tryEnter(link, size)
      if (own && turn) return both(own, turn)
      own?.[Symbol.dispose]()
      return undefined
    },
  }
}
