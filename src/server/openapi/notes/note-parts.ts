// The parts that the notes of several endpoints share: error codes and request headers.

// Errors of every endpoint that accesses the disk.
export const diskErrors = [
  ...(['path.unknown', 'path.forbidden', 'path.outside', 'path.denied', 'path.link'] as const),
  'path.dangling',
  ...(['disk.silent', 'disk.failed'] as const),
  // Each of them waits for its share of threads and open files, and only for a limited time.
  ...(['user.busy', 'server.busy'] as const),
] as const
export const writeErrors = [
  ...diskErrors,
  ...(['path.special', 'path.busy', 'path.changed', 'path.large', 'request.cut'] as const),
  ...(['disk.full', 'disk.quota', 'disk.readonly', 'disk.unable'] as const),
] as const
// What a virus scanner says about a file. `scan.held` is no error: the file has arrived and is not visible yet.
export const scanErrors = ['scan.held', 'scan.infected', 'scan.away'] as const
export const uploadErrors = [...writeErrors, ...scanErrors, 'request.large', 'user.busy'] as const
export const busyErrors = ['user.busy', 'server.busy'] as const
export const preconditionHeaders = {
  'If-Match': 'Proceed only if the file still has this `ETag`',
  'If-Unmodified-Since': 'Proceed only if the file has not changed since this time',
}
export const modifiedHeader = {
  'X-OC-Mtime': 'The modification time that the file gets, in seconds since 1970, possibly with decimals',
}
export const cacheHeaders = {
  'If-None-Match': 'Return 304 if the file still has this `ETag`',
  'If-Modified-Since': 'Return 304 if the file has not changed since this time',
}
export const downloadHeaders = {
  ...preconditionHeaders,
  ...cacheHeaders,
  Range: 'One or more byte ranges',
  'If-Range': 'Return the range only if the file still has this `ETag`; otherwise the whole file',
}
