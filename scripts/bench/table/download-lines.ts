import { download } from '../wire.ts'
import { type Line, secondsOf, type Table, taskLine } from './line.ts'
import type { Verb } from './programs.ts'
import { emptyCount, served, textCount } from './served-files.ts'
import { requestFor, type Server } from './servers.ts'

const plain = 'plain download'

/** The large file and its zip, a zip of many files, a listing and a search. */
export const downloadLines: readonly Line[] = [
  taskLine({
    what: 'download of the large file',
    unit: 'GB/s',
    limits: ({ warm }) =>
      warm.nginx === undefined ? [] : [{ value: 0.8 * warm.nginx, of: 'warm', from: '0.8 × nginx' }],
    task: { verb: 'raw', run: (server, table) => rate(server, table, 'raw', served.large) },
  }),
  taskLine({
    what: 'zip of the large file, which cannot be compressed',
    unit: 'GB/s',
    limits: ({ warm }) => [{ value: 0.9 * (warm[plain] ?? Number.NaN), of: 'warm', from: `0.9 × ${plain}` }],
    task: {
      verb: 'zip',
      run: (server, table) => rate(server, table, 'zip', served.largeFolder),
      references: ([coffer], table) =>
        coffer ? { [plain]: () => rate(coffer, table, 'raw', served.large) } : {},
    },
  }),
  taskLine({
    what: `zip of ${textCount} files of 1 KiB`,
    unit: 's',
    limits: () => [
      { value: 0.9, of: 'cold' },
      { value: 0.5, of: 'warm' },
    ],
    // The central directory alone has 46 bytes for each file.
    task: { verb: 'zip', run: (server) => seconds(server, 'zip', served.texts, 46 * textCount) },
  }),
  taskLine({
    what: `listing of ${emptyCount} entries`,
    unit: 's',
    limits: () => [{ value: 0.5, of: 'warm' }],
    task: { verb: 'listing', run: (server) => seconds(server, 'listing', served.empty, 20 * emptyCount) },
  }),
  taskLine({
    what: `search among ${emptyCount} files`,
    unit: 's',
    task: { verb: 'search', run: (server) => seconds(server, 'search', served.empty, 1000) },
  }),
]

function seconds(server: Server, verb: Verb, path: string, leastBytes: number): Promise<number> {
  return secondsOf(() => download(requestFor(server, verb, path), leastBytes))
}

async function rate(server: Server, { bench }: Table, verb: Verb, path: string): Promise<number> {
  return bench.size / 1e9 / (await seconds(server, verb, path, bench.size))
}
