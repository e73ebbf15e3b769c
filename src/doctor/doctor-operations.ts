import Type from 'typebox'
import { type Operation, operation } from '#src/control/operation.ts'
import type { Doctor } from './doctor.ts'

/** The operations of `coffer doctor`. They run only in the server, because without one the command does them itself. */
export function doctorOperations(doctor: Doctor) {
  return {
    'doctor/check': operation(Type.Object({ fix: Type.Boolean() }), async ({ fix }) => doctor.check({ fix })),
    'doctor/bundle': operation(Type.Object({}), async () => doctor.bundle()),
  } satisfies Record<string, Operation<never, unknown>>
}
