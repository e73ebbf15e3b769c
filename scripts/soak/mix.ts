import { setTimeout as sleep } from 'node:timers/promises'
import * as changing from './changing.ts'
import type { Client } from './client.ts'
import * as cuts from './cut-off.ts'
import type { Person } from './person.ts'
import * as reading from './reading.ts'
import * as visiting from './visiting.ts'

type Activity = (person: Person) => Promise<void>

/** What the connections do, and how often in each round. */
const mix: readonly (readonly [Activity, times: number])[] = [
  [reading.listFew, 10],
  [reading.listMany, 2],
  [reading.listTree, 2],
  [reading.readText, 16],
  [reading.readDetails, 6],
  [reading.readRange, 6],
  [reading.readUnchanged, 4],
  [reading.readUsage, 1],
  [reading.sumSmall, 2],
  [reading.sumLarge, 1],
  [reading.search, 2],
  [reading.downloadZip, 2],
  [reading.viewPhoto, 8],
  [reading.readFolderMetadata, 3],
  [reading.readPhotoMetadata, 3],
  [changing.upload, 4],
  [changing.replace, 2],
  [changing.save, 3],
  [changing.uploadPieces, 2],
  [changing.uploadPicture, 3],
  [changing.rename, 3],
  [changing.copyAndUndo, 2],
  [changing.emptyTrash, 1],
  [visiting.changeSession, 2],
  [visiting.visitShare, 2],
  [visiting.receiveChange, 2],
  [cuts.cutOffDownload, 2],
  [cuts.cutOffZip, 2],
  [cuts.cutOffUpload, 2],
  [cuts.cutOffPiece, 2],
]

/** Starts the load: one activity after the other on each connection. Returns a function that ends it. */
export function startLoad(client: Client, people: readonly Person[]): () => Promise<void> {
  let isOver = false
  const activities = rounds()
  const work = async (person: Person) => {
    while (!isOver) {
      const { value } = activities.next()
      await value(person).catch(async (error: unknown) => {
        client.fail(value.name, error)
        // The pace bounds requests, not failures without a request.
        await sleep(100)
      })
    }
  }
  const all = Promise.all(people.map(work))
  return async () => {
    isOver = true
    await all
  }
}

/** All activities of the mix in random order, again and again, so that every minute has the same load. */
function* rounds(): Generator<Activity, never> {
  for (;;) {
    const round = mix.flatMap(([activity, times]) => Array.from({ length: times }, () => activity))
    const shuffled = round
      .map((activity) => ({ activity, order: Math.random() }))
      .sort((a, b) => a.order - b.order)
    for (const { activity } of shuffled) yield activity
  }
}
