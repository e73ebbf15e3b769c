/** One renaming of a run. */
export interface Step {
  from: string
  to: string
  /** The steps of a cycle have the same number. A stop in a cycle takes its steps back. */
  cycle?: number
}

/**
 * The steps that give every item its new name, so that each name is free when it is needed: the last of a chain first. A
 * cycle, such as two items that swap their names, begins with a step to a name of `temporaryName`.
 */
export function renameSteps(
  changes: readonly Pick<Step, 'from' | 'to'>[],
  temporaryName: () => string,
): Step[] {
  const byName = new Map(changes.map((change) => [change.from, change]))
  const steps: Step[] = []
  let cycles = 0
  for (const first of changes) {
    if (!byName.has(first.from)) continue
    const chain: Pick<Step, 'from' | 'to'>[] = []
    for (let next = byName.get(first.from); next; next = byName.get(next.to)) {
      byName.delete(next.from)
      chain.push(next)
    }
    const ordered = chain.toReversed().map(({ from, to }) => ({ from, to }))
    if (chain.at(-1)?.to !== first.from) steps.push(...ordered)
    else {
      const [cycle, temporary] = [++cycles, temporaryName()]
      const inside = ordered.slice(0, -1).map((step) => ({ ...step, cycle }))
      steps.push({ from: first.from, to: temporary, cycle }, ...inside, {
        from: temporary,
        to: first.to,
        cycle,
      })
    }
  }
  return steps
}

/** Returns a function that makes names which are not in `taken`. */
export function temporaryNames(taken: ReadonlySet<string>): () => string {
  let n = 0
  return () => {
    do n++
    while (taken.has(`renaming-${n}`))
    return `renaming-${n}`
  }
}
