import { join } from 'node:path'

/**
 * The path of the control socket in the folder beside the state file. The name of a socket can have only about a hundred
 * bytes. On Linux, the path through the descriptor of the folder is always short.
 */
export function controlSocketPath(folder: string, descriptor: number): string {
  return process.platform === 'linux' ? `/proc/self/fd/${descriptor}/control` : join(folder, 'control')
}

/** The header with the input of a control call whose body is a stream: JSON in base64. */
export const inputHeader = 'x-input'
/** The type of a body that is the input or the output of a control call. */
export const jsonType = 'application/json'
/** The type of a body that is a stream of bytes. */
export const streamType = 'application/octet-stream'
