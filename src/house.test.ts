import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { problems } from '#contract/problems.ts'
import { plantedLookups } from '#src/testing/bare.ts'
import { uncheckedLookups } from '#src/testing/lookups.ts'

/** Each restricted API, and the only files that may use it. Tests may use all of them. */
const restrictions: [what: RegExp, allowed: RegExp][] = [
  // One file has all SQL of a table.
  [/\b(FROM|INTO|JOIN|UPDATE) kept\b/, /\/(kept-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) (operations|steps)\b/, /\/(operation-records|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE|OR REPLACE) user_paths\b/, /\/(bookmark-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) link_\w+/, /\/(link-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) notices(_told)?\b/, /\/(notice-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) notice_batches\b/, /\/(batch-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) deliveries\b/, /\/(delivery-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) webhooks\b/, /\/(webhook-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) mail_addresses\b/, /\/(address-rows|history-schema)\.ts$/],
  [/\b(FROM|INTO|JOIN|UPDATE) metadata\b/, /\/(metadata-cache|history-schema)\.ts$/],
  [
    /\b(FROM|INTO|JOIN|UPDATE) audit(_\w+)?\b/,
    /^src\/audit\/(records|links\/link-rows|search\/.*)\.ts$|\/history-schema\.ts$/,
  ],
  // The state is changed in operations only: the routes of these services declare their kind. The others change it
  // without a request: the first start, the restore of a backup, a clock that was set, and files that were moved.
  [
    /\b(store\.change|document\.update)\(/,
    /^src\/(users\/(users|bulk-users|verify|operator|view-tracking)|settings\/settings|shares\/(shares|change-share|directory|following\/(share-tracking|relocation))|notices\/mail\/mail-settings|start\/first-run|backup\/restore|state\/(store|timekeeper))\.ts$/,
  ],
  // Only `state` reads the document of the state; others ask the store by key. These treat the state as a whole: its
  // start, backups, and the checks of the instance.
  [
    /\bdocument\.data\b|\bStateDocument\b/,
    /^src\/(state\/(document|store|timekeeper)|backup\/(backup|restore|parts\/part)|start\/(services|doctor)|testing\/.*)\.ts$/,
  ],
  // The start, imports and the checks of an instance that does not run open the document itself.
  [
    /\b(openDocument|stateFile|readState|draftOf)\(/,
    /^src\/(state\/(document|store|draft)|start\/(instance|doctor|first-run)|import\/(import|apply)|testing\/.*)\.ts$|^web\//,
  ],
  // What this process knows now, without waiting: for checks of access, which no wait may separate from what they protect.
  [
    /\bcurrent\.(user|link|linkBySlug|settings|hasAdmin|signingKey)\b/,
    /^src\/(state\/store|access\/(authorize|modes)|auth\/(auth|external-auth)|users\/(directory|verify)|shares\/(shares|directory)|start\/(accounts|history|services|sharing|first-run))\.ts$/,
  ],
  [/from 'lowdb/, /^src\/(state\/document|testing\/.*)\.ts$/],
  [
    /^import (?!type)(?!\{ type \w+(?:, type \w+)* \})[^']*'node:fs(?:\/promises)?'/m,
    /^src\/(files\/.*|config\/.*|cli\/.*|core\/(embedded|log\/log-file|database\/(file\/(connection|open-file)|freezer)|storage\/(spare-file|write-flushed|records|process-lock|backups))|state\/document|start\/(state-folder|offline)|server\/(assets|sockets\/(listen|tls|server))|lifecycle\/datagram|control\/control-(socket|client)|details\/details|http\/list-json|search\/scan-tree|previews\/folder-cache|sandbox\/(find-program|processes|system-files)|testing\/.*|import\/reading\/input-file|backup\/staging|doctor\/findings\/own-files)\.ts$|^web\/testing\//,
  ],
  // Only `disk.ts` turns the names of users' files into bytes. The other files here work on files of Coffer itself and
  // of the system.
  [
    /import \{[^}]*\b(access|chmod|copyFile|link|lstat|mkdir|open|opendir|readdir|readlink|realpath|rename|rm|rmdir|stat|statfs|symlink|unlink|utimes|writeFile|readFile)(Sync)?\b[^}]*\} from 'node:fs(\/promises)?'/,
    /^src\/files\/(paths\/(disk|remote-mounts)|writing\/(note-slots|temp-file-journal)|space\/descriptors|pictures\/codecs|metadata\/owner-names)\.ts$|^src\/(sandbox\/(find-program|processes|system-files)|previews\/folder-cache|start\/(state-folder|main|offline)|import\/reading\/input-file|backup\/staging|doctor\/findings\/own-files)\.ts$|^src\/(config|cli|control|core|state|server|details|testing)\/|^web\/testing\//,
  ],
  // Only `read-folder.ts` reads the entries of folders, and leaves out hidden ones. The next rules list the users of
  // its functions that leave out less.
  [
    /(?<!')\b(readdir|opendir)(Sync)?\b/,
    // The others read folders of Coffer itself, also in its image, and `/proc`.
    /^src\/(files\/paths\/(read-folder|disk)|backup\/staging|cli\/commands\/container-owner|sandbox\/processes|core\/storage\/(backups|records|process-lock)|server\/assets|testing\/.*)\.ts$/,
  ],
  [
    /\beveryEntry\b/,
    /^src\/files\/(paths\/read-folder|tree-walk\/(shown-tree|all-allowed)|writing\/replace-folder|reading\/read-tree)\.ts$/,
  ],
  [/\beveryName\b/, /^src\/files\/(paths\/read-folder|tree-walk\/tree-tasks)\.ts$/],
  [/\bcopiedNames\b/, /^src\/files\/(paths\/read-folder|tree-walk\/(tree-tasks|copy-tree))\.ts$/],
  [
    /\bprivateNames\b/,
    /^src\/(files\/(paths\/read-folder|writing\/temp-file-journal|kept\/create-store)|previews\/folder-cache|doctor\/findings\/own-files)\.ts$/,
  ],
  [/\bfirstEntries\b/, /^src\/(files\/paths\/read-folder|doctor\/checks\/links)\.ts$/],
  [/\b(every|few)Spellings?(Sync)?\b/, /^src\/files\/paths\/(read-folder|ask-disk)\.ts$/],
  // A problem names the path of the request, not the path on the disk (`files/paths/path-access.ts`).
  [
    /(onPath\(|new Problem\([^()]*\bpath: )[\w.]*\b(held|opened|open|file|folder|target|source|from|to|there|existing|entry|item|found|located|wanted|requested|parent|place|location|thing|root)\.(path|real|address)\b/,
    /^$/,
  ],
  [/'node:child_process'/, /^src\/(sandbox\/run|testing\/.*)\.ts$|^web\/testing\//],
  [
    /\bprocess\.(env|argv|exit)\b/,
    /^src\/(config\/load|sandbox\/environment|cli\/.*|testing\/.*)\.ts$|^web\/testing\//,
  ],
  [
    /from '(fastify|@fastify\/.*)'/,
    /^src\/(uploads\/tus-requests|(http|server)\/.*|resources\/(batch|form)-upload|shares\/visiting\/visit|testing\/.*|.*\.(routes|socket))\.ts$/,
  ],
  // A thread that is ended during such a call ends the process (`core/zlib/uninterrupted.ts`). The page is
  // compressed on the main thread.
  [
    /import (\w+|\{[^}]*Sync\b[^}]*\}) from 'node:zlib'/,
    /^src\/(core\/zlib\/compress|server\/spa-page|attacks\/unpack|contract-tests\/archives|testing\/.*)\.ts$|^web\/testing\//,
  ],
  [/\.terminate\(\)/, /^src\/(core\/zlib\/uninterrupted|commands\/socket|testing\/.*)\.ts$|^web\//],
  // On its own thread, because each call waits for the disk.
  [/'node:sqlite'/, /^src\/core\/database\/(file\/(connection|open-file)|serve-database)\.ts$/],
  // Calls into libc are as unsafe as native code.
  [/'node:ffi'/, /^src\/(core\/libc|testing\/.*)\.ts$/],
  // Objects inside of Node, without documentation.
  [/\b_handle\b/, /^$/],
  // Only this file looks up the names of other hosts, and connects to the addresses that were checked.
  [/from 'node:dns/, /^src\/notices\/webhooks\/send-webhook\.ts$/],
  [/'nodemailer'/, /^src\/notices\/mail\/send-mail\.ts$/],
  [/\bas SafePath\b/, /^src\/(files\/jail\/jail|shares\/visiting\/visitor)\.ts$/],
  [/'@node-rs\/argon2'/, /^src\/core\/access\/passwords\.ts$/],
  [/'@node-rs\/crc32'/, /^src\/(files\/archive\/formats\/checksum|testing\/unsnappy)\.ts$/],
  [/'@napi-rs\/lzma'/, /^src\/files\/archive\/codecs\/xz\.ts$/],
  [/(from |import\()'snappy'/, /^src\/files\/archive\/codecs\/snappy\.ts$/],
  [/'lz4-napi'/, /^src\/files\/archive\/codecs\/lz4\.ts$/],
  // In a thread, because it computes for 70 ms and more.
  [/'bcryptjs'/, /^src\/workers\/bcrypt-worker\.ts$/],
  // The page has no code of the server but these two functions. The manual is text.
  [
    /^import (?!type)[^'"]*'#(contract|src)\/(?!manual\/[\w-]+\.md')/m,
    /^src\/|^web\/(testing\/|features\/(search\/search-state|rename-many\/replace-text|site\/file-name)\.ts$)/,
  ],
  // A text of a user becomes an expression only through `literalPattern`.
  [/'\\\\\$&'/, /^src\/core\/text\/literal-pattern\.ts$/],
  [
    /\bRegExp\(/,
    /^src\/(core\/log\/log|details\/subtitle-text|doctor\/bundle\/redactor|server\/methods|settings\/site-settings|(testing|contract-tests)\/.*)\.ts$|^web\/(features\/(search\/search-state|rename-many\/replace-text|users\/decide|settings\/mode-field)|ui\/kinds\/file-kind)\.tsx?$/,
  ],
  [
    /\b(fetch\(|new WebSocket\b|new XMLHttpRequest\b|new EventSource\b)/,
    // The script in `site.routes.ts` runs in the page of a preview.
    /^web\/((api|testing)\/|early\.ts)|^src\/(auth\/captcha\.ts|site\/site\.routes\.ts|testing\/)/,
  ],
  [/\b(localStorage|sessionStorage)\b/, /^web\/(early|shared\/preferences|testing\/browser)\.ts$/],
  [/\bdangerouslySetInnerHTML\b|\.innerHTML\b/, /^$/],
]

/** The folders that each layer may import from. The first layer that matches a file counts. */
const layers: [layer: RegExp, below: RegExp][] = [
  [/^src\/contract\//, /^src\/contract\//],
  [/^src\/core\//, /^src\/(contract|core)\//],
  [/^src\/config\//, /^src\/(contract|config|core)\//],
  [/^src\/files\//, /^src\/(contract|core|files)\//],
  [/^src\/state\//, /^src\/(contract|core|state)\//],
  [/^src\/access\//, /^src\/(contract|core|config|files|state|access)\//],
  [/^src\/entries\//, /^src\/(contract|core|files|state|access|entries)\//],
  [/^src\/http\//, /^src\/(contract|core|files|state|access|entries|http)\//],
  [/^src\/sandbox\//, /^src\/(contract|core|config|files|sandbox)\//],
  [/^src\/control\//, /^src\/(core|control)\//],
  [/^src\/lifecycle\//, /^src\/(core|lifecycle)\//],
  [/^src\/server\//, /^src\/(?!start|workers|cli)/],
  [/^src\/workers\//, /^src\/(?!start|server|cli)/],
  [/^src\/start\//, /^src\/(?!cli)/],
  // An import writes a whole state, while no server runs.
  [/^src\/(cli|import)\//, /^src\//],
  [/^src\/[a-z]+\//, /^src\/(?!server|workers|start)/],
  [/^web\/(ui|api)\//, /^web\/(ui|api)\//],
  [/^web\/(overlays|actions)\//, /^web\/(ui|api|overlays|actions)\//],
  [/^web\/shared\//, /^web\/(ui|api|overlays|actions|shared)\//],
  [
    /^web\/features\//,
    /^web\/(ui|api|overlays|actions|shared|features)\/|^src\/(core\/text\/(literal-pattern|slug)\.ts|manual\/[\w-]+\.md)$/,
  ],
]

/** Maximum number of product files in a folder. */
const maxFiles = 14

/** Feature folders of `src`. They are connected in `start/services.ts` and do not import each other. */
const features = globSync('src/*/')
  .map((folder) => folder.split('/')[1] ?? '')
  .filter(
    (name) =>
      !/^(contract|contract-tests|core|config|control|files|state|access|entries|http|sandbox|lifecycle|server|start|workers|cli|attacks|testing)$/.test(
        name,
      ),
  )

/** Exceptions: modules of a feature that another feature may import, and why. */
const exceptions: [from: RegExp, to: RegExp, why: string][] = [
  [
    /^src\/(previews\/previews|details\/details|uploads\/visitor-tus)\.routes\.ts$/,
    /^src\/shares\/visiting\/visit\.ts$/,
    'visitors see previews and details of what is shared with them, and send files in pieces',
  ],
  [
    /^src\/site\/website\/website\.ts$/,
    /^src\/settings\/site-settings\.ts$/,
    'a site without settings has the defaults of the settings',
  ],
  [
    /^src\/import\/mapping\/(shares|site)\.ts$/,
    /^src\/(shares\/share-record|settings\/site-settings)\.ts$/,
    'an imported share and an imported website are stored like those that users create',
  ],
]

/**
 * Files with logic, but without a test beside them or beside a file that imports them, and the tests that cover them.
 */
const testedElsewhere: [file: RegExp, where: RegExp][] = [
  [/^src\/start\//, /^(src|bin)\/.*\.test\.ts$/],
  [/^src\/doctor\//, /^src\/doctor\/doctor\.test\.ts$/],
  [/^src\/(cli|control|administration)\//, /^src\/cli\/.*\.test\.ts$/],
  [
    /^src\/(backup\/|branding\/branding-files|shares\/following\/rebind-shares)/,
    /^src\/backup\/.*\.test\.ts$/,
  ],
  [/^src\/contract\//, /^src\/contract\/schemas\.test\.ts$/],
  [/^src\/core\/(embedded|version)\.ts$/, /^bin\/.*\.test\.ts$/],
  [
    /^src\/(workers\/.*-worker|core\/threads\/serve-tasks)\.ts$/,
    /^src\/core\/threads\/worker-pool\.test\.ts$/,
  ],
  [
    /^src\/files\/(jail\/locate|writing\/rename-into-place|trees\/.*)\.ts$/,
    /^src\/(resources\/resources\.routes|entries\/transfers)\.test\.ts$/,
  ],
  [/^src\/files\/space\/copy-room\.ts$/, /^src\/full-disk\.test\.ts$/],
  [/^src\/files\/space\/upload-room\.ts$/, /^src\/files\/receiving\/receive\.test\.ts$/],
  [/^src\/files\/jail\/link-target\.ts$/, /^src\/files\/listing\/list-folder\.test\.ts$/],
  [/^src\/files\/(jail\/hidden-target|kept\/kept-access)\.ts$/, /^src\/(rights|kept\/rules)\.test\.ts$/],
  [/^src\/lifecycle\//, /^src\/lifecycle\/lifecycle\.test\.ts$/],
  [/^src\/core\/database\//, /^src\/core\/database\/database\.test\.ts$/],
  [/^src\/core\/libc\.ts$/, /^src\/lifecycle\/lifecycle\.test\.ts$/],
  [/^src\/core\/storage\/(schema-fault|validator)\.ts$/, /^src\/cli\/administration\.test\.ts$/],
  [/^src\/core\/recheck\.ts$/, /^src\/revocation\.test\.ts$/],
  [/^src\/core\/flush-folder\.ts$/, /^src\/state\/document\.test\.ts$/],
  [/^src\/core\/text\/escape-html\.ts$/, /^src\/server\/spa-page\.test\.ts$/],
  [
    /^src\/(site\/|settings\/site-settings|files\/(writing\/replace-folder|reading\/read-tree|tree-walk\/all-allowed))/,
    /^src\/site\/site\.test\.ts$/,
  ],
  [/^src\/search\//, /^src\/search\/.*\.test\.ts$/],
  [/^src\/files\/reading\/hash-file\.ts$/, /^src\/details\/.*\.test\.ts$/],
  [/^src\/files\/archive\//, /^src\/(files\/archive|archives)\/.*archive.*\.test\.ts$/],
  [/^src\/files\/pictures\//, /^src\/previews\/previews\.test\.ts$/],
  [/^src\/files\/metadata\//, /^src\/metadata\/.*\.test\.ts$/],
  [
    /^src\/(access|entries|resources|details|downloads|uploads|archives)\//,
    /^src\/resources\/.*\.routes\.test\.ts$/,
  ],
  [/^src\/users\//, /^src\/users\/users\.test\.ts$/],
  [/^src\/shares\//, /^src\/shares\/shares\.test\.ts$/],
  [/^src\/(http|server)\/.*\.ts$/, /^src\/(http|server|access).*\.test\.ts$/],
  [/^src\/.*\.(routes|policy)\.ts$/, /^src\/access\.test\.ts$/],
]

const allFiles = globSync('{src,web}/**/*.{ts,tsx}').map((file) => file.replaceAll('\\', '/'))
// Everything in `attacks` is a test or shared by tests.
const isTest = (file: string) => /\.test\.tsx?$|^src\/attacks\//.test(file)
const files = allFiles.filter((file) => !isTest(file))
const sources = new Map(allFiles.map((file) => [file, readFileSync(file, 'utf8')]))
const source = (file: string) => sources.get(file) ?? ''

/** The files of this repository that `file` imports, and whether it imports only types. */
function importsOf(file: string): { to: string; typeOnly: boolean }[] {
  const found = source(file).matchAll(/^(?:import|export)\b(\s+type\b)?([^'"]*?)\bfrom '([^']+)'/gm)
  return [...found].flatMap(([, type, names = '', specifier = '']) => {
    const to = specifier.startsWith('#contract/')
      ? specifier.replace('#contract', 'src/contract')
      : specifier.startsWith('.')
        ? join(dirname(file), specifier)
        : specifier.replace(/^#/, '')
    const allTypes = /^\s*\{(\s*type\s+\w+\s*,?)+\s*\}\s*$/.test(names)
    return /^(src|web)\//.test(to) ? [{ to, typeOnly: type !== undefined || allTypes }] : []
  })
}

t.test('restricted APIs are used only in their allowed files', async (t) => {
  for (const [what, allowed] of restrictions) {
    const outside = files.filter((file) => what.test(source(file)) && !allowed.test(file))
    t.strictSame(outside, [], String(what))
    // A renamed function would otherwise lose its rule unnoticed.
    if (String(allowed) !== '/^$/')
      t.ok(
        files.some((file) => what.test(source(file))),
        `${what} is used`,
      )
  }
})

t.test('dynamic keys of objects are looked up only with a check for own entries', async (t) => {
  const isProduct = (file: string) =>
    /\/(src|web)\//.test(file) && !/\.test\.tsx?$|\/(testing|attacks|contract-tests)\/|\.d\.ts$/.test(file)
  for (const project of ['src', 'web']) t.strictSame(uncheckedLookups(project, isProduct), [], project)
  const found = uncheckedLookups('src', (file) => file.endsWith('/src/testing/bare.ts'))
  t.equal(found.length, 6, 'finds each planted kind')
  t.type(
    plantedLookups('constructor', 1, {})[0],
    'function',
    'each planted lookup finds an inherited property',
  )
})

t.test('no layer imports from a layer above it', async (t) => {
  for (const file of files) {
    const [, below] = layers.find(([layer]) => layer.test(file)) ?? []
    if (!below || /^web\/testing\//.test(file) || /\/testing\//.test(file)) continue
    // The page has types of the contract everywhere. The type of all services is known where they are created.
    const isAllowed = (to: string) => /^web\//.test(file) || to === 'src/start/services.ts'
    const upwards = importsOf(file).filter(
      ({ to, typeOnly }) => !below.test(to) && !(typeOnly && isAllowed(to)),
    )
    t.strictSame(upwards, [], file)
  }
})

t.test('folders do not import each other in cycles', async (t) => {
  const uses = new Map<string, Set<string>>()
  for (const file of files.filter((file) => !/\/(testing|contract-tests)\//.test(file))) {
    const from = dirname(file)
    const used = uses.get(from) ?? new Set()
    uses.set(from, used)
    for (const { to, typeOnly } of importsOf(file))
      if (!typeOnly && /\.tsx?$/.test(to) && dirname(to) !== from) used.add(dirname(to))
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (seen.has(from)) return false
    seen.add(from)
    return [...(uses.get(from) ?? [])].some((next) => next === to || reaches(next, to, seen))
  }
  for (const folder of uses.keys()) t.notOk(reaches(folder, folder), folder)
})

t.test('files do not import each other in cycles, types included', async (t) => {
  const uses = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]))
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[] = []
  const visit = (file: string, way: readonly string[]): void => {
    if (state.get(file) === 'open') cycles.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (state.has(file)) return
    state.set(file, 'open')
    for (const next of uses.get(file) ?? []) visit(next, [...way, file])
    state.set(file, 'done')
  }
  for (const file of files.filter((file) => !/\/(testing|contract-tests)\//.test(file))) visit(file, [])
  t.strictSame(cycles, [])
})

t.test(`a folder has at most ${maxFiles} files`, async (t) => {
  const folders = Map.groupBy(
    // The chunks are a flat list of entry points of the build.
    files.filter((file) => !/\/(testing|contract-tests|chunks)\/|\.d\.ts$/.test(file)),
    (file) => dirname(file),
  )
  const large = [...folders].filter(([, files]) => files.length > maxFiles).map(([folder]) => folder)
  t.strictSame(large, [])
})

t.test('a feature imports only types from another feature', async (t) => {
  const featureOf = (file: string) => features.find((name) => file.startsWith(`src/${name}/`))
  for (const file of files.filter(featureOf)) {
    const forbidden = importsOf(file).filter(({ to, typeOnly }) => {
      const isOther = featureOf(to) !== undefined && featureOf(to) !== featureOf(file)
      return isOther && !typeOnly && !exceptions.some(([from, into]) => from.test(file) && into.test(to))
    })
    t.strictSame(forbidden, [], file)
  }
})

t.test('a feature of the page imports nothing from another feature', async (t) => {
  const featureOf = (file: string) => /^web\/features\/([\w-]+)\//.exec(file)?.[1]
  // Counting items is the same for every list of a folder.
  const shared = 'web/features/files/count.tsx'
  for (const file of files.filter(featureOf)) {
    const forbidden = importsOf(file).filter(
      ({ to }) => to !== shared && featureOf(to) !== undefined && featureOf(to) !== featureOf(file),
    )
    t.strictSame(forbidden, [], file)
  }
})

t.test('a lazy chunk of the page is loaded only together with its messages and styles', async (t) => {
  const chunk = String.raw`import\('(?:[^']*\/chunks|\.)\/later-[\w-]+\.ts'\)`
  // `lazy` and `loadLater` wait for the messages and styles. A loader with a name is used through them.
  const allowed = (load: string) =>
    new RegExp(`\\blazy\\(\\s*async \\(\\) => \\(await ${load}\\)|\\bloadLater\\(\\(\\) => ${load}\\)`, 'g')
  for (const file of files.filter((file) => file.startsWith('web/') && !/\/testing\//.test(file))) {
    const code = source(file)
    const loaders = [...code.matchAll(new RegExp(`const (\\w+) = \\(\\) => ${chunk}`, 'g'))]
    const unnamed = loaders.reduce((code, [loader]) => code.replace(loader, ''), code)
    t.notMatch(unnamed.replace(allowed(chunk), ''), new RegExp(chunk), file)
    for (const [, name = ''] of loaders)
      t.notMatch(
        unnamed.replace(allowed(`${name}\\(\\)`), ''),
        new RegExp(`\\b${name}\\(\\)`),
        `${file}: ${name}`,
      )
  }
})

t.test('only tests import test helpers', async (t) => {
  for (const file of files.filter((file) => !/\/testing\//.test(file))) {
    t.strictSame(
      importsOf(file).filter(({ to }) => /\/testing\/|\.test\.tsx?$/.test(to)),
      [],
      file,
    )
  }
})

t.test('every exported function of shared code has a doc comment', async (t) => {
  const sharedCode = /^src\/(core|files|contract|state|access|entries|http|server|config)\b|^web\/(api|ui)\//
  for (const file of files.filter((file) => sharedCode.test(file))) {
    const lines = source(file).split('\n')
    const undocumented = lines.filter(
      (line, at) => /^export (async )?function\b/.test(line) && !lines[at - 1]?.endsWith('*/'),
    )
    t.strictSame(undocumented, [], file)
  }
})

t.test('no file is longer than 250 lines', async (t) => {
  const long = files.filter((file) => source(file).trimEnd().split('\n').length > 250)
  t.strictSame(long, [])
})

t.test('every file with logic has a test beside it, or beside a file that imports it', async (t) => {
  const hasTest = (file: string) => existsSync(file.replace(/\.tsx?$/, '.test.ts'))
  // A test also covers the files that the tested file imports from its own folder or a subfolder.
  const covered = new Set<string>()
  const visit = (file: string) => {
    if (covered.has(file)) return
    covered.add(file)
    for (const { to, typeOnly } of importsOf(file)) {
      // The start connects all folders of the server.
      const below = dirname(file).replace(/^src\/start$/, 'src')
      if (!typeOnly && dirname(to).startsWith(below)) visit(to)
    }
  }
  for (const file of files.filter(hasTest)) visit(file)
  for (const test of allFiles.filter(isTest)) {
    for (const { to } of importsOf(test)) if (dirname(to) === dirname(test)) visit(to)
  }
  const hasLogic = (file: string) =>
    /\bfunction\b|=>|\bclass\b/.test(source(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))
  const uncovered = files.filter((file) => {
    if (
      !file.startsWith('src/') ||
      file.startsWith('src/testing/') ||
      file.endsWith('.d.ts') ||
      covered.has(file) ||
      !hasLogic(file)
    )
      return false
    return !testedElsewhere.some(
      ([what, where]) => what.test(file) && allTests().some((test) => where.test(test)),
    )
  })
  t.strictSame(uncovered, [])
})

const allTests = () => [...allFiles.filter(isTest), ...globSync('bin/*.test.ts')]

t.test('every section of the contract cited in a comment exists', async (t) => {
  const anchors = new Set(
    ['README.md', 'compatibility.md'].flatMap((name) =>
      [...readFileSync(`src/contract/${name}`, 'utf8').matchAll(/^## (.+)$/gm)].map(
        ([, title = '']) => `contract/${name}#${title.toLowerCase().replaceAll(' ', '-')}`,
      ),
    ),
  )
  for (const file of allFiles)
    for (const [cited] of source(file).matchAll(/contract\/(README|compatibility)\.md#[\w-]+/g))
      t.ok(anchors.has(cited), `${file} cites ${cited}`)
})

/** The maps, and the folders that they describe. */
const maps = ['src', 'web'].map((folder) => ({ folder, file: `${folder}/README.md` }))

/** The paths that a map names in backticks, such as `core/storage/` and `http/request-headers.ts`. Skips code and commands. */
function pathsIn(map: string): string[] {
  const named = [...readFileSync(map, 'utf8').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  return named.filter((name) => /^\w[\w./-]*$/.test(name) && /\/|\.(tsx?|css|html|json|md)$/.test(name))
}

t.test('every path that a map names exists', async (t) => {
  for (const { folder, file } of maps) {
    const paths = pathsIn(file)
    t.ok(paths.length > 50, `${file} names ${paths.length} paths`)
    // A path starts in the folder of the map, or in the root of the repository. The build creates `web/dist`.
    const missing = paths.filter(
      (path) => path !== 'web/dist' && !existsSync(join(folder, path)) && !existsSync(path),
    )
    t.strictSame(missing, [], file)
  }
})

t.test('every test that the table of bounds names exists', async (t) => {
  const tests = pathsIn('src/attacks/README.md')
  t.ok(tests.length > 25, `${tests.length} tests`)
  t.strictSame(
    tests.filter((test) => !existsSync(test)),
    [],
  )
})

t.test('every folder with source files is named in its map', async (t) => {
  for (const { folder, file } of maps) {
    const named = new Set(pathsIn(file).map((path) => join(folder, path, '.')))
    const inside = allFiles.filter((file) => file.startsWith(`${folder}/`)).map((file) => dirname(file))
    const unnamed = [...new Set(inside)].filter((one) => one !== folder && !named.has(one))
    t.strictSame(unnamed, [], file)
  }
})

t.test('every problem of the catalogue is used somewhere', async (t) => {
  const code = files.filter((file) => file.startsWith('src/') && !file.endsWith('/problems.ts'))
  for (const name of Object.keys(problems)) {
    t.ok(
      code.some((file) => source(file).includes(`'${name}'`)),
      name,
    )
  }
})

t.test('every dependency has an exact version and comes from the npm registry', async (t) => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  for (const list of [dependencies, devDependencies, optionalDependencies]) {
    for (const [name, version] of Object.entries(list)) t.match(version, /^\d+\.\d+\.\d+$/, name)
  }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<
      string,
      {
        version?: string
        integrity?: string
        resolved?: string
        optionalDependencies?: Record<string, string>
      }
    >
  }
  const names = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')))
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages))
    for (const name of Object.keys(optionalDependencies))
      t.ok(names.has(name), `${name}, which ${path} names for another platform: npm ci needs it in the lock`)
  for (const [path, { version, integrity, resolved }] of Object.entries(packages)) {
    if (path === '') continue
    t.match(version, /^\d+\.\d+\.\d+/, path)
    t.match(integrity, /^sha512-/, path)
    t.notMatch(resolved ?? '', /^(?!https:\/\/registry\.npmjs\.org\/)./, path)
  }
})

t.test('the npm of Node 20 installs every native add-on', async (t) => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { os?: string[]; engines?: { node?: string } }>
  }
  // It leaves out an add-on without a word if its `engines` want a newer Node. The lock has none of `@napi-rs/lzma`,
  // which only our own Node loads.
  for (const [path, { os, engines }] of Object.entries(packages))
    if (os) t.match(engines?.node ?? '>=20', /^(>= ?(1\d|20)|\^20)(\.|$)/, path)
})

t.test('no test contains a debugger statement or runs only a part of the tests', async (t) => {
  for (const file of allFiles.filter((file) => isTest(file) && file !== 'src/house.test.ts')) {
    t.notMatch(source(file), /\bt\.only\(|\{ only: true|\bdebugger\b/, file)
  }
})
