import { join } from 'node:path'
import { createLog } from '#src/core/log/log.ts'
import { createKeptStores } from '#src/files/kept/kept-stores.ts'
import { runTreeTask } from '#src/files/tree-walk/tree-tasks.ts'

// A program for tests: moves the entries of a folder to the trash and back, until it is killed. At its start it moves
// everything back that an earlier process has left there.

const [root = '', stateFolder = ''] = process.argv.slice(2)
const places = createKeptStores({
  root,
  stateFolder,
  removeTree: async (address) => runTreeTask({ kind: 'remove', address, isForced: true }),
  log: createLog({ target: '', format: 'text' }),
})
const place = await places.storeFor(root)
if (!place) throw new Error('no place')
await places.resume()
for await (const { id, record } of place.list()) {
  if (!record) throw new Error(`${id} has no record`)
  await place.putBack(id, join(root, record.path))
}
const names = ['a', 'b', 'folder', 'link']
process.stdout.write('begun\n')
for (let round = 0; ; round++) {
  for (const name of names) {
    const isFolder = name === 'folder'
    const record = {
      ...{ kind: 'trash' as const, path: `/${name}`, time: round, user: 1, userName: 'ann', operation: '' },
      ...{ isFolder, modified: 0 },
    }
    const id = `${name}-${round}-${process.pid}`
    await place.take(id, join(root, name), record)
    await place.putBack(id, join(root, name))
    if (isFolder) continue
    await place.keepOld(id, join(root, name), { ...record, kind: 'version' })
    await place.putOver(id, join(root, name))
  }
}
