// The programs of the table, and how each is started and asked for the same things.
import { writeFile } from 'node:fs/promises'
import { options, user } from '../coffer.ts'
import { output } from '../run.ts'

/**
 * What the lines of the table ask for. `details` is the information on one file. `uploadForm` uploads several files into a
 * folder.
 */
export type Verb = 'raw' | 'details' | 'listing' | 'zip' | 'search' | 'upload' | 'uploadForm'

/** Where a program runs: the served folder, a name for its own files, and its port on loopback. */
export interface Place {
  readonly root: string
  readonly state: string
  readonly port: number
}

export interface Program {
  /** The title of its column. */
  readonly name: string
  /** The name of the executable, or its path. */
  readonly executable: string
  /** The arguments that print the version. */
  readonly version: readonly string[]
  readonly args: (place: Place) => readonly string[]
  /** Further arguments that allow thousands of connections. */
  readonly crowdArgs?: readonly string[]
  /** Writes the configuration or the database. */
  readonly prepare?: (executable: string, place: Place) => Promise<unknown>
  /** The user who signs in. Without it, the program lets everyone in. */
  readonly user?: typeof user
  /** The request for each verb. A verb without a path is not supported. Uploads replace files and create no folder. */
  readonly paths: Partial<Record<Verb, (path: string) => string>>
  readonly uploadMethod: 'POST' | 'PUT'
  /** Whether it is no file manager: it is shown, but the ratio does not compare with it. */
  readonly isReference?: boolean
}

/** The name that searches look for. */
export const searched = '777'

// File Browser 2.63 and Coffer have the same API.
const fileBrowserPaths: Program['paths'] = {
  raw: (path) => `/api/raw/${path}`,
  details: (path) => `/api/resources/${path}`,
  listing: (path) => `/api/resources/${path}/`,
  zip: (path) => `/api/raw/${path}/?algo=zip`,
  search: (path) => `/api/search/${path}/?query=${searched}`,
  upload: (path) => `/api/resources/${path}?override=true`,
}

/** Returns Coffer with this executable. */
export function coffer(executable: string): Program {
  return {
    name: 'Coffer',
    executable,
    version: ['version'],
    args: ({ root, state, port }) => [...options(root, port), '--database', `${state}.json`],
    // With more, it would need more file descriptors than many systems allow, and would lower the limit itself.
    crowdArgs: ['--connections', '6000'],
    user,
    paths: { ...fileBrowserPaths, uploadForm: (path) => `/api/upload/${path}/?override=true` },
    uploadMethod: 'POST',
  }
}

/** Returns an older Coffer with this executable. Its column is only shown. */
export function olderCoffer(executable: string): Program {
  return { ...coffer(executable), name: 'Coffer before', isReference: true }
}

/** The peers, and nginx. */
export const peers: readonly Program[] = [
  {
    name: 'File Browser',
    executable: 'filebrowser',
    version: ['version'],
    args: ({ root, state, port }) => [
      '-r',
      root,
      '-a',
      '127.0.0.1',
      '-p',
      `${port}`,
      '-d',
      `${state}.db`,
      '-l',
      '',
    ],
    async prepare(executable, { state }) {
      const database = ['-d', `${state}.db`]
      await output(executable, ['config', 'init', ...database], { stderr: 'ignore' })
      const { username, password } = user
      await output(executable, ['users', 'add', username, password, '--perm.admin', ...database], {
        stderr: 'ignore',
      })
    },
    user,
    paths: fileBrowserPaths,
    uploadMethod: 'POST',
  },
  {
    name: 'copyparty',
    executable: 'copyparty',
    version: ['--version'],
    args: ({ root, port }) => [
      '-q',
      '-i',
      '127.0.0.1',
      '-p',
      `${port}`,
      '-v',
      `${root}::A`,
      '--no-thumb',
      '--no-reload',
    ],
    paths: {
      raw: (path) => `/${path}`,
      listing: (path) => `/${path}/?ls`,
      zip: (path) => `/${path}/?zip`,
      upload: (path) => `/${path}`,
    },
    uploadMethod: 'PUT',
  },
  {
    name: 'dufs',
    executable: 'dufs',
    version: ['--version'],
    args: ({ root, port }) => ['-A', '-b', '127.0.0.1', '-p', `${port}`, root],
    paths: {
      raw: (path) => `/${path}`,
      listing: (path) => `/${path}/?json`,
      zip: (path) => `/${path}/?zip`,
      search: (path) => `/${path}/?q=${searched}&json`,
      upload: (path) => `/${path}`,
    },
    uploadMethod: 'PUT',
  },
  {
    name: 'miniserve',
    executable: 'miniserve',
    version: ['--version'],
    args: ({ root, port }) => ['-i', '127.0.0.1', '-p', `${port}`, '--enable-zip', root],
    paths: {
      raw: (path) => `/${path}`,
      listing: (path) => `/${path}/`,
      zip: (path) => `/${path}/?download=zip`,
    },
    uploadMethod: 'PUT',
  },
  {
    name: 'nginx',
    executable: 'nginx',
    version: ['-v'],
    args: ({ state }) => ['-e', `${state}.log`, '-c', `${state}.conf`],
    prepare: (_, place) => writeFile(`${place.state}.conf`, nginxConfiguration(place)),
    paths: { raw: (path) => `/${path}`, listing: (path) => `/${path}/` },
    uploadMethod: 'PUT',
    isReference: true,
  },
]

// Without sendfile, so that both nginx and Coffer copy in user space.
function nginxConfiguration({ root, state, port }: Place): string {
  // If nginx starts as root, its worker would otherwise run as a user that may not read our folder.
  const asRoot = process.getuid?.() === 0 ? 'user root;' : ''
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off; worker_processes 1; ${asRoot} pid "${state}.pid"; error_log "${state}.log";
events {}
http {
  access_log off; sendfile off;
  ${folders.map((name) => `${name}_temp_path "${state}-${name}";`).join(' ')}
  server { listen 127.0.0.1:${port}; root "${root}"; autoindex on; autoindex_format json; }
}
`
}
