import { proxy } from 'valtio'
import type { Finding } from '#contract/doctor.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { type Measurement, measurements } from './measurements.ts'

/** The results of the checks. */
export const doctorState = proxy({
  /** Undefined: not checked yet. */
  findings: undefined as Finding[] | undefined,
  measured: undefined as Measurement[] | undefined,
  /** Sentences about checks that failed. */
  serverFailure: '',
  connectionFailure: '',
})

// One measurement must not wait for ever, for example for an upload over a slow line.
const measurementMs = 60_000

/** Runs all checks. Shows what could not be checked. Aborting `signal` stops them. */
export async function runChecks(signal: AbortSignal): Promise<void> {
  Object.assign(doctorState, {
    ...{ findings: undefined, measured: undefined },
    ...{ serverFailure: '', connectionFailure: '' },
  })
  await Promise.all([checkServer(signal), measure(signal)])
}

async function checkServer(signal: AbortSignal): Promise<void> {
  try {
    const { findings } = await api('GET /api/doctor', undefined, { signal })
    if (!signal.aborted) doctorState.findings = findings
  } catch (error) {
    if (!signal.aborted) Object.assign(doctorState, { findings: [], serverFailure: problemMessage(error) })
  }
}

async function measure(signal: AbortSignal): Promise<void> {
  const measured: Measurement[] = []
  for (const measureOne of measurements) {
    measured.push(...(await measureBounded(measureOne, signal)))
    if (signal.aborted) return
  }
  doctorState.measured = measured
}

async function measureBounded(
  measureOne: (typeof measurements)[number],
  signal: AbortSignal,
): Promise<Measurement[]> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(measurementMs)])
  try {
    return await measureOne(bounded)
  } catch (error) {
    if (!signal.aborted) doctorState.connectionFailure = bounded.aborted ? 'late' : problemMessage(error)
    return []
  }
}
