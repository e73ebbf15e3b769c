/**
 * Maximum number of threads for each kind of work. Each of them may use a whole processor. No user has all that search,
 * hash or change folders, and visitors of shares together have at most half of those that list folders.
 */
export const threads = {
  scan: 3,
  hash: 2,
  tree: 4,
  list: 4,
  /** Fewer on a machine with fewer processors. */
  archive: 8,
  /** They read large files for archives. More files at once are read by the main thread. */
  readAhead: 2,
  picture: 2,
  /** A picture that needs much memory has the thread for itself. */
  heavyPicture: 1,
  metadata: 2,
  frontMatter: 2,
  bcrypt: 1,
  /** SQLite has one writer. */
  database: 1,
  historyScan: 1,
} as const
