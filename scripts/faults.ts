// npm run faults -- [--times 500]: kills the server at random moments while files, users, settings and shares change.
// After each restart it checks that all acknowledged changes are there, byte for byte, and that no partial change is
// left. In some folders files change in every way, also by undo and redo, restoring and permanent deletion: there each
// file is where it was or where it should be, none is there twice, none is lost, and the list of operations says which.
// Before that, it replays what the server writes into a model of a disk that loses what was not flushed. The kills end
// only the process, which loses nothing that the system has in memory.
import { randomInt } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTrackedValues, type TrackedValue } from './faults/cells.ts'
import { checkPowerCuts } from './faults/power-cut/run.ts'
import {
  createPaths,
  killWhileStarting,
  type Paths,
  type Server,
  startServer,
  UnexpectedResponse,
} from './faults/server.ts'
import { Zone } from './faults/zones.ts'

const { values } = parseArgs({ options: { times: { type: 'string', default: '500' } } })
const times = Number(values.times)
if (!Number.isInteger(times) || times < 0) throw new Error('--times must be a whole number')
if (!(await checkPowerCuts())) process.exit(1)
if (times === 0) process.exit()

// The maximum time until a kill, in milliseconds: while the server works, and while it starts.
const mostWorkMs = 700
const mostStartMs = 600

const base = await mkdtemp(join(tmpdir(), 'coffer-faults-'))
const place = await createPaths(base)
const cells = createTrackedValues(place)
for (let n = 0; n < 4; n++) await writeFile(join(place.root, `linked-${n}.txt`), String(n))
const zones = Array.from({ length: 6 }, (_, n) => new Zone(place, `zone-${n}`))
const faults: string[] = []
let acknowledged = 0
let unanswered = 0
let token: string | undefined

const startMs = performance.now()
for (let kill = 1; kill <= times && faults.length === 0; kill++) {
  if (kill % 8 === 0) await killWhileStarting(place, randomInt(mostStartMs))
  const started = await startServer(place, token)
  token = started.token
  await inspect(place, started.server)
  await workUntilKilled(started.server)
  if (kill % 20 === 0) console.log(`${kill} kills, ${acknowledged} acknowledged changes`)
}
if (faults.length === 0) {
  const { server } = await startServer(place, token)
  await inspect(place, server)
  await server.kill()
}
const seconds = ((performance.now() - startMs) / 1000).toFixed(0)
if (faults.length > 0) {
  console.log(faults.join('\n'))
  console.log(`${faults.length} faults; all files are kept in ${base}`)
  process.exitCode = 1
} else {
  console.log(
    `${times} kills in ${seconds} s: all ${acknowledged} acknowledged changes of ${cells.length} files, users, settings and ` +
      `shares, and of ${zones.length} folders with undo, trash and versions are intact, ${unanswered} changes without a response are complete or absent, no temporary files are left, and ` +
      'after every restart the state file is complete and the session is valid',
  )
  await rm(base, { recursive: true })
}

/** Changes everything concurrently until the server is killed. */
async function workUntilKilled(server: Server): Promise<void> {
  const life = { isOver: false }
  const work = [...cells, ...zones].map((cell) => changeOn(cell, server, life))
  await new Promise((resolve) => setTimeout(resolve, randomInt(mostWorkMs)))
  life.isOver = true
  await server.kill()
  await Promise.all(work)
}

async function changeOn(
  cell: TrackedValue | Zone,
  server: Server,
  life: { readonly isOver: boolean },
): Promise<void> {
  try {
    while (!life.isOver) {
      await cell.change(server)
      acknowledged++
    }
  } catch (error) {
    if (error instanceof UnexpectedResponse) faults.push(error.message)
    else if (!life.isOver)
      faults.push(`${cell.name}: the server stopped responding before it was killed: ${error}`)
    else unanswered++
  }
}

/** Checks everything after a restart. */
async function inspect({ root, state, stateFolder, base }: Paths, server: Server): Promise<void> {
  JSON.parse(await readFile(state, 'utf8'))
  const reply = await server.call('GET', '/api/sessions')
  if (!reply.ok) faults.push(`the first session is no longer valid: status ${reply.status}`)
  for (const cell of cells) await inspectCell(cell)
  for (const zone of zones) {
    await zone.inspect(server).catch((error: Error) => faults.push(error.message))
  }
  const names = [
    ...(await readdir(base)),
    ...(await readdir(root, { recursive: true })),
    ...(await readdir(stateFolder, { recursive: true })),
  ]
  const left = names.filter((name) => /\.coffer-part|\.new$|^parts\/(?!journal$)/.test(name))
  if (left.length > 0) faults.push(`temporary files are left: ${left.join(', ')}`)
  const unknown = (await readdir(root)).filter(
    (name) => !/^((linked|post|put|form|delete)-\d\.\w+|zone-\d)$/.test(name),
  )
  if (unknown.length > 0) faults.push(`unexpected files: ${unknown.join(', ')}`)
}

async function inspectCell(cell: TrackedValue): Promise<void> {
  const found = await cell.read()
  if (!cell.validValues.includes(found))
    faults.push(`${cell.name} is ${found}, expected ${cell.validValues.join(' or ')}`)
  cell.validValues = [found]
}
