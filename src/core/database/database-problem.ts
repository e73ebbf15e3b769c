import type { ProblemCode } from '#contract/problems.ts'
import { Problem } from '#src/core/problem.ts'
import { type Fault, primaryCode } from './file/fault.ts'

/** Why the database could not do a call: the disk is full or fails, or too many calls wait. Nothing has changed then. */
export class DatabaseProblem extends Problem {
  override name = 'DatabaseProblem'

  constructor(code: ProblemCode, reason: string) {
    super(code, { path: 'the history of changes', errno: reason }, { cause: new Error(reason) })
  }
}

const codes = new Map<number | string | undefined, ProblemCode>([
  [5, 'server.busy'],
  [7, 'server.busy'],
  [8, 'disk.readonly'],
  [13, 'disk.full'],
  ['ENOSPC', 'disk.full'],
  ['EDQUOT', 'disk.quota'],
  ['EROFS', 'disk.readonly'],
  ['ENOMEM', 'server.busy'],
  ['EMFILE', 'server.busy'],
  ['ENFILE', 'server.busy'],
])

/** Returns the problem for a failure of the disk or the file. */
export function problemOfFault(fault: Fault): DatabaseProblem {
  return new DatabaseProblem(codes.get(fault.errno ?? primaryCode(fault)) ?? 'disk.failed', fault.message)
}
