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
export const uploadErrors = [...writeErrors, 'request.large', 'user.busy'] as const
export const busyErrors = ['user.busy', 'server.busy'] as const
export const preconditionHeaders = {
  'If-Match': 'Only when the file is still in this state (its `ETag`)',
  'If-Unmodified-Since': 'Only when the file was not changed since',
}
export const cacheHeaders = {
  'If-None-Match': '304 when the file is still in this state',
  'If-Modified-Since': '304 when the file was not changed since',
}
export const downloadHeaders = {
  ...preconditionHeaders,
  ...cacheHeaders,
  Range: 'One range of bytes or several',
  'If-Range': 'The range only when the file is still in this state; else the whole',
}
