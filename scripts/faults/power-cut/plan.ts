// Checks that the database knows of a step before the step changes files: otherwise a restart could not finish or undo it.
import { posix } from 'node:path'
import { bothPlaces, type Disk, type NamePlace } from './disk.ts'
import type { Recording, Tracked } from './recording.ts'
import { bytesOf, type CallEvent, describe, type SystemCall } from './system-calls.ts'

/** Follows the log of the database in a record. */
export function createPlanCheck({ top, root }: Recording, tracked: readonly Tracked[], disk: Disk) {
  const flushes = new Map<SystemCall, ReadonlySet<Tracked>>()
  /** The paths in the log since its last flush began. */
  let written = new Set<Tracked>()

  const followFlush = ({ at, call }: CallEvent) => {
    if (at === 'start') {
      flushes.set(call, written)
      written = new Set()
      return
    }
    for (const one of flushes.get(call) ?? []) one.isPlanned = true
    flushes.delete(call)
  }

  const followWrite = (call: SystemCall) => {
    const text = bytesOf(call.args[1]).toString('latin1')
    for (const one of tracked) if (text.includes(one.path)) written.add(one)
  }

  const isAt = ({ path }: Tracked, { folder, name }: NamePlace) =>
    posix.basename(path) === name && disk.tree.find(root + posix.dirname(path), 'most') === folder

  return {
    follow(event: CallEvent): void {
      const { name, args } = event.call
      const [file = ''] = args
      if (!file.includes(`<${top}/`) || !file.endsWith('-wal>')) return
      if (/^f(data)?sync$/.test(name)) followFlush(event)
      else if (event.at === 'end' && name.includes('write')) followWrite(event.call)
    },

    /**
     * Checks a call that renames or links a file, when it starts: the paths that it changes must be in the flushed log.
     *
     * @returns the number of these paths, and sentences about those that are missing
     */
    check(call: SystemCall): { planned: number; losses: string[] } {
      const places = bothPlaces(disk, call).filter((place) => place !== undefined)
      const changed = tracked.filter((one) => places.some((place) => isAt(one, place)))
      const early = changed.filter(({ isPlanned }) => !isPlanned)
      const losses = early.map(
        ({ path }) => `${describe(call)} comes before the record of the step for ${path}`,
      )
      return { planned: changed.length, losses }
    },
  }
}
