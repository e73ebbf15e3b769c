import { ApiProblem, api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { upload } from '#web/api/upload.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { freeName } from './free-name.ts'
import { decide } from './plan.ts'
import { isSame } from './same.ts'

/** One thing to bring to the server. */
export interface Delivery {
  /** Decoded; a folder's ends with a slash. */
  path: string
  /** Absent: a folder is to be made. */
  body: Blob | undefined
  /** What to do when the name is taken; undefined: nothing is known to be there. */
  choice: Choice | undefined
  /** It was being sent before, and the answer never came: it may have arrived all the same. */
  wasBroken: boolean
  signal: AbortSignal
  onProgress(sent: number): void
}

/** How many names are tried before keeping both is given up. */
const mostCopies = 1000

/**
 * Brings one file or folder to the server. A name that was taken meanwhile is asked about.
 *
 * @returns where it is now; undefined when it was left out
 * @throws ApiProblem what the server refuses.
 */
export async function deliver(delivery: Delivery): Promise<string | undefined> {
  const { path, body, signal } = delivery
  if (!body) {
    await api('POST /api/resources/*', { params: { '*': path }, query: {} }, { signal })
    return path
  }
  if (!delivery.choice && (await arrived(delivery, body, path))) return path
  if (delivery.wasBroken && (await isSame(path, body))) return path
  delivery.onProgress(0)
  const choice = delivery.choice ?? (await decide(path, body))
  if (choice === 'skip') return undefined
  if (choice === 'keep') return keepBoth(delivery, body)
  await upload({ path, body, override: true, signal, onProgress: delivery.onProgress })
  return path
}

async function keepBoth(delivery: Delivery, body: Blob): Promise<string> {
  for (let n = 1; n <= mostCopies; n++) {
    const path = freeName(delivery.path, n)
    if (await arrived(delivery, body, path)) return path
  }
  throw new ApiProblem(409, 'path.exists', `${mostCopies} copies exist`)
}

/** Whether the upload went through; false when the name is taken. Any other refusal is thrown on. */
async function arrived({ signal, onProgress }: Delivery, body: Blob, path: string): Promise<boolean> {
  try {
    await upload({ path, body, override: false, signal, onProgress })
    return true
  } catch (error) {
    if (codeOf(error) === 'path.exists') return false
    throw error
  }
}
