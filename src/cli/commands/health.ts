import { readFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isContainer } from '#src/config/container.ts'
import { type Listener, loadListener } from '#src/config/load.ts'
import { errnoOf, StartupProblem } from '#src/core/problem.ts'
import type { Subcommand } from '../parsing/subcommand.ts'

const timeoutMs = 5000

/** `coffer health`: for the health checks of containers and of other supervisors. */
export const healthCommand: Subcommand = {
  usage: '[flags]',
  sentence: 'Checks that the server of these flags responds. Ends with exit code 0, or 1 if it does not.',
  reads: 'options',
  run: async ({ all }, { env, print, warn }) => {
    const flags = all.length === 0 && isContainer(env) ? flagsOfContainer() : all
    const listener = await loadListener(flags, env)
    if (!listener.socket && listener.port === 0)
      throw new StartupProblem('coffer health needs the port of the server: set --port.')
    const fault = await faultOf(listener)
    if (fault === undefined) return print(`Coffer responds at ${placeOf(listener)}.`)
    warn(`Coffer does not respond at ${placeOf(listener)}: ${fault}.`)
    process.exitCode = 1
  },
}

/**
 * Returns the flags of the server in this container, from the command line of its first process. An init process starts
 * it with `… coffer container` and the flags.
 */
function flagsOfContainer(): readonly string[] {
  const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1)
  const start = words.indexOf('container')
  const flags = start === -1 ? [] : words.slice(start + 1)
  return flags[0] === 'serve' ? flags.slice(1) : flags
}

/** Why the server is not healthy. Undefined: it is. */
function faultOf(listener: Listener): Promise<string | undefined> {
  const { socket, port, baseUrl, cert } = listener
  const path = `${baseUrl}/health`
  const place = socket ? { socketPath: socket } : { host: hostOf(listener), port }
  const signal = AbortSignal.timeout(timeoutMs)
  // The certificate may be for another name. The request sends no secret, and the answer is not trusted.
  const options = { ...place, path, signal, agent: false, rejectUnauthorized: false }
  return new Promise((resolve) => {
    const request = (cert ? requestSecure : requestPlain)(options, (response) => {
      response.destroy()
      resolve(response.statusCode === 200 ? undefined : `GET ${path} has the status ${response.statusCode}`)
    })
    request.on('error', (error) =>
      resolve(
        signal.aborted ? `no response within ${timeoutMs / 1000} seconds` : (errnoOf(error) ?? error.message),
      ),
    )
    request.end()
  })
}

/** The address for a connection: a server that listens on all addresses also listens on the one of this machine. */
function hostOf({ address }: Listener): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}

function placeOf(listener: Listener): string {
  const { socket, port, baseUrl, cert } = listener
  if (socket) return socket
  const host = hostOf(listener)
  return `${cert ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}${baseUrl}/`
}
