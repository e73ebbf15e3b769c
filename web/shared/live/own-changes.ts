const running = new Set<Promise<void>>()

/** Runs `work`, in which this page changes files that may be open. Until it has ended, no change counts as one of others. */
export function ownChange<T>(work: () => Promise<T>): Promise<T> {
  const result = work()
  const ended: Promise<void> = result.then(afterCaller, afterCaller).then(() => void running.delete(ended))
  running.add(ended)
  return result
}

/** The caller shows what it has changed right after it, which is a part of it. */
function afterCaller(): Promise<void> {
  return new Promise((done) => setTimeout(done))
}

/** Whether this page is changing something. */
export function isChanging(): boolean {
  return running.size > 0
}

/** Waits until this page changes nothing. */
export async function ownChangesEnd(): Promise<void> {
  while (isChanging()) await Promise.all(running)
}
