import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type ClamdAddress, parseClamdAddress } from '#src/core/clamd/address.ts'
import { createClamd } from '#src/core/clamd/clamd.ts'
import { systemTool } from './system-tool.ts'

/** The text that every scanner reports (EICAR), in parts, so that no scanner reports this file. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

/** What a scanner does with a stream: it answers a text, or uses the socket itself. */
export type Behaviour = string | ((socket: Socket, content: Buffer) => unknown)

/**
 * A scanner that speaks the protocol of clamd on a real socket and answers as a test wants.
 *
 * @param behaviour the answer to the next streams; the default finds the text of EICAR
 */
export async function fakeClamd(t: Test, behaviour?: Behaviour) {
  const scanner = {
    behaviour,
    /** The answers to other commands. */
    answers: {
      'zPING\0': 'PONG\0',
      'zVERSION\0': 'ClamAV 1.4.6/27000/Fri Nov 27 09:24:53 2026\0',
    } as Record<string, string>,
    /** The stream is refused, and the connection closed, beyond this size. */
    refusesAfterBytes: Number.POSITIVE_INFINITY,
    /** The contents of all complete streams. */
    contents: [] as Buffer[],
    address: { host: '127.0.0.1', port: 0 } satisfies ClamdAddress,
    stop: async () => {},
    start: async () => {},
  }
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece])
      if (received.length > scanner.refusesAfterBytes) {
        socket.write('INSTREAM size limit exceeded. ERROR\0')
        return socket.destroySoon()
      }
      const command = received.subarray(0, received.indexOf(0) + 1).toString()
      const known = scanner.answers[command]
      if (known !== undefined) return socket.end(known)
      const content = command === 'zINSTREAM\0' ? streamOf(received.subarray(command.length)) : undefined
      if (!content) return undefined
      scanner.contents.push(content)
      return answer(socket, content, scanner.behaviour)
    })
  })
  // After a stop, it listens at the same port again.
  scanner.start = () =>
    new Promise((resolve) => {
      server.listen(scanner.address, () => {
        scanner.address = { ...scanner.address, port: (server.address() as AddressInfo).port }
        resolve()
      })
    })
  scanner.stop = () =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  t.teardown(() => scanner.stop())
  await scanner.start()
  return scanner
}

/** The content of a complete stream; undefined: more is to come. */
function streamOf(chunks: Buffer): Buffer | undefined {
  const pieces: Buffer[] = []
  for (let at = 0; at + 4 <= chunks.length; ) {
    const length = chunks.readUInt32BE(at)
    if (length === 0) return Buffer.concat(pieces)
    pieces.push(chunks.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return undefined
}

function answer(socket: Socket, content: Buffer, behaviour: Behaviour | undefined): unknown {
  if (typeof behaviour === 'function') return behaviour(socket, content)
  const found = content.includes(eicar) ? 'stream: Eicar-Test FOUND\0' : 'stream: OK\0'
  return socket.end(behaviour ?? found)
}

/**
 * Starts the clamd of this machine with a database that has only the signature of EICAR. Returns its address; undefined: it
 * is not installed.
 *
 * @param lines further lines of its configuration
 */
export async function realClamd(t: Test, lines: readonly string[] = []): Promise<ClamdAddress | undefined> {
  const program = systemTool('clamd')
  if (spawnSync(program, ['--version']).error) return undefined
  // Not the folder of the test, which has one only.
  const folder = await mkdtemp(join(tmpdir(), 'clamd-'))
  const [socket, conf] = [join(folder, 's'), join(folder, 'clamd.conf')]
  await mkdir(join(folder, 'db'), { recursive: true })
  const hex = Buffer.from(eicar).toString('hex')
  await writeFile(join(folder, 'db', 'test.ndb'), `Eicar-Test:0:*:${hex}\n`)
  const own = [`DatabaseDirectory ${join(folder, 'db')}`, `LocalSocket ${socket}`, 'Foreground yes']
  await writeFile(conf, [...own, `TemporaryDirectory ${folder}`, ...lines, ''].join('\n'))
  const child = spawn(program, ['-c', conf], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  const address = parseClamdAddress(socket)
  const { signal } = new AbortController()
  for (let tries = 0; address && child.exitCode === null && tries < 600; tries++) {
    if ((await createClamd(address).fault(signal)) === undefined) return address
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`clamd does not start: ${output}`)
}
