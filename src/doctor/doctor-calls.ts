import Type from 'typebox'
import { type ControlCall, controlCall } from '#src/control/control-call.ts'
import type { Doctor } from './doctor.ts'

/** The control calls of `coffer doctor`. They run only in the server, because without one the command does them itself. */
export function doctorCalls(doctor: Doctor) {
  return {
    'doctor/check': controlCall(Type.Object({ fix: Type.Boolean() }), async ({ fix }) =>
      doctor.check({ fix }),
    ),
    'doctor/bundle': controlCall(Type.Object({}), async () => doctor.bundle()),
  } satisfies Record<string, ControlCall<never, unknown>>
}
