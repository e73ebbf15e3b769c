import path from 'node:path'
import t, { type Test } from 'tap'
import { fileBrowserDatabases } from './container.ts'
import { loadConfig, loadListener } from './load.ts'

const container = { COFFER_CONTAINER: 'yes' }

/** The configuration file that the image of File Browser comes with, and more keys of its versions. */
const settings = {
  port: 8081,
  baseURL: '/files',
  address: '',
  log: 'stdout',
  database: '/database/filebrowser.db',
  root: '',
  enableThumbnails: true,
  redisCacheUrl: '',
}

function createFiles(t: Test) {
  return t.testdir({ files: {}, 'settings.json': JSON.stringify(settings) })
}

t.test('in the image, the defaults are the folders and the port of File Browser', async (t) => {
  const folder = createFiles(t)
  const root = path.join(folder, 'files')
  const config = await loadConfig(['--root', root], container)
  t.match(config, { address: '0.0.0.0', port: 80, database: '/database/coffer.json', root })
  const given = await loadConfig(['--root', root, '--port=1'], { ...container, COFFER_ADDRESS: '::1' })
  t.match(given, { address: '::1', port: 1 }, 'flags and variables take precedence')
  t.match(await loadListener([], {}), { address: '127.0.0.1', port: 8080 }, 'only in the image')
})

t.test(
  'in the image, a configuration file of File Browser works, and its unknown keys are warned about',
  async (t) => {
    const folder = createFiles(t)
    const file = path.join(folder, 'settings.json')
    const warnings: string[] = []
    const argv = ['--config', file, '--root', path.join(folder, 'files')]
    const config = await loadConfig(argv, container, (line) => warnings.push(line))
    t.match(config, { port: 8081, baseUrl: '/files', address: '0.0.0.0', database: '/database/coffer.json' })
    t.equal(warnings.length, 2)
    t.match(warnings[0], /^Coffer ignores the unknown key enableThumbnails in .*settings\.json:/)
    await t.rejects(loadConfig(argv, {}), { message: /^Unknown key enableThumbnails/ }, 'only in the image')
  },
)

t.test(
  'the database of File Browser is looked for where File Browser was configured to have it',
  async (t) => {
    const file = path.join(createFiles(t), 'settings.json')
    t.strictSame(await fileBrowserDatabases({}, undefined), ['/database/filebrowser.db', '/database.db'])
    t.strictSame(await fileBrowserDatabases({ FB_DATABASE: '/data/fb.db' }, file), [
      '/data/fb.db',
      '/database/filebrowser.db',
      '/database.db',
    ])
    t.strictSame(
      await fileBrowserDatabases({ FB_DATABASE: '/data/coffer.json' }, undefined),
      ['/database/filebrowser.db', '/database.db'],
      'a state file of Coffer is never imported',
    )
  },
)
