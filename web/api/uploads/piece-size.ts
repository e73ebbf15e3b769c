const mebibyte = 1024 * 1024
/** The smallest piece, in bytes. If a proxy refuses this size, the upload fails. */
const smallest = 256 * 1024
/** The largest first piece of an upload, in bytes: the rate is not known yet, or may have changed. */
const largestFirst = 16 * mebibyte
/**
 * How long a piece takes, in milliseconds. A piece that breaks off then costs only seconds, even behind a proxy that stores
 * a body before it sends it.
 */
const pieceMs = 5000
/** The size of a piece in the settings of an instance that has not changed it. It limits nothing. */
const standardSetting = 10 * mebibyte

/** The least size of a file that is sent in pieces, in pieces. Smaller files are faster in one request. */
const minPieces = 2

/**
 * Whether a file of this size, in bytes, is sent in pieces.
 *
 * @param setting the size of a piece in the settings, in bytes
 */
export function needsPieces(size: number, setting: number): boolean {
  return size >= minPieces * setting
}

/** The largest body that the proxies between this page and its server have not refused. */
export const proxyLimit = {
  /** In bytes. */
  bytes: Number.POSITIVE_INFINITY,
  /** Called when the limit has changed. */
  onChange: (_bytes: number) => {},
}

/** The rate of the last piece, in bytes per millisecond. */
let rate: number | undefined

/** Chooses the size of each piece of one upload. */
export interface PieceSizes {
  /** The size of the next piece, in bytes. */
  next(): number
  /** Records the time in which bytes have arrived. */
  record(bytes: number, ms: number): void
}

/**
 * Chooses the sizes of the pieces: as much as the network carries in five seconds, at the rate of the last piece.
 *
 * @param setting the size of a piece in the settings. If it was changed, no piece is larger.
 */
export function createPieceSizes(setting: number): PieceSizes {
  const most = setting === standardSetting ? Number.POSITIVE_INFINITY : setting
  let isFirst = true
  return {
    next() {
      const carried = rate === undefined ? largestFirst : Math.round(rate * pieceMs)
      const wanted = isFirst ? Math.min(carried, largestFirst) : carried
      return Math.min(Math.max(wanted, smallest), most, proxyLimit.bytes)
    },
    record(bytes, ms) {
      isFirst = false
      // The time of a very short piece is mostly that of the request.
      if (bytes >= smallest) rate = bytes / Math.max(ms, 1)
    },
  }
}

/**
 * Call this when a body of this size was refused as too large, or was lost on its way. Halves the limit, to at least
 * 256 KiB. Returns whether a retry makes sense.
 */
export function halvePieces(refused: number): boolean {
  if (refused <= smallest) return false
  proxyLimit.bytes = Math.max(smallest, Math.min(proxyLimit.bytes, Math.floor(refused / 2)))
  proxyLimit.onChange(proxyLimit.bytes)
  return true
}
