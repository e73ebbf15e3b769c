import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { getSystemErrorMap } from 'node:util'
import t from 'tap'
import { problems } from '#contract/problems.ts'
import { errnoOf, ignoreMissing, isDiskFull, onPath, Problem, problemOf, StartupProblem } from './problem.ts'

t.test('a problem contains its cause with the details filled in', async (t) => {
  const problem = new Problem('auth.limited', { seconds: 30 })
  t.equal(problem.message, 'too many attempts; try again in 30 s')
  t.equal(problem.status, 429)
  t.match(problem, { name: 'Problem', code: 'auth.limited', details: { seconds: 30 } })
})

t.test('a hostile name in a problem stays unchanged', async (t) => {
  for (const path of ['/{path}', '/$&$1', '/{seconds}', '/__proto__']) {
    t.equal(new Problem('path.exists', { path }).message, `${path} already exists`)
  }
})

t.test('a missing detail shows as a question mark, and is never read from the prototype', async (t) => {
  t.equal(new Problem('path.exists').message, '? already exists')
})

t.test('every problem of the catalogue has an HTTP error status', async (t) => {
  for (const [code, { status }] of Object.entries(problems)) {
    // A file that is held has arrived (contract/README.md#examined-files).
    if (code === 'scan.held') t.equal(status, 202)
    else t.ok(status >= 400 && status < 600, code)
  }
})

t.test('a startup problem is not a problem of a request', async (t) => {
  const problem = new StartupProblem('Port 80 is in use.', { cause: new Error('EADDRINUSE') })
  t.match(problem, {
    name: 'StartupProblem',
    message: 'Port 80 is in use.',
    cause: { message: 'EADDRINUSE' },
  })
  t.notOk(problem instanceof Problem)
})

function systemError(code: string, syscall = 'open'): Error {
  return Object.assign(new Error(`${code}: /host/secret/place`), { code, syscall })
}

/**
 * Every error code that Node knows on this system, and those that libuv knows on any system, without those of name
 * resolution (EAI_).
 */
const allErrnos = new Set([
  ...Object.keys(constants.errno).filter((name) => !name.startsWith('WSA')),
  ...[...getSystemErrorMap().values()].map(([name]) => name).filter((name) => !name.startsWith('EAI_')),
])

/** Errors that a call on an open descriptor never returns because of the disk, and the reason why they stay bugs. */
const impossible = new Map([
  ['EBADF', 'a descriptor that is closed or was never open is a bug of ours'],
  ['EFAULT', 'an address outside of our memory is a bug of ours or of Node'],
])

t.test(
  'every error of the system becomes a problem with a readable text, or cannot come from a file',
  async (t) => {
    t.ok(allErrnos.size > 70)
    for (const errno of [...allErrnos, 'UNKNOWN', 'Unknown system error -117']) {
      for (const syscall of ['open', 'read', 'write', 'rename', 'copyfile', 'scandir', 'statfs']) {
        const problem = problemOf(systemError(errno, syscall), '/docs/a.txt')
        if (impossible.has(errno) && ['read', 'write'].includes(syscall)) t.equal(problem, undefined, errno)
        else if (!problem) t.fail(`${errno} of ${syscall}`)
        else {
          t.ok(
            [400, 403, 404, 405, 409, 413, 422, 423, 503, 507].includes(problem.status),
            `${errno}: ${problem.status}`,
          )
          t.match(problem.message, /^[\w/]/)
          t.notMatch(problem.message, /undefined|[{?]|host/)
        }
      }
    }
  },
)

t.test('an error of the system becomes the matching problem', async (t) => {
  const expected = {
    ENOENT: [404, '/docs/a.txt does not exist'],
    ENOTDIR: [404, '/docs/a.txt does not exist'],
    EACCES: [403, 'the operating system denies access to /docs/a.txt'],
    EPERM: [403, 'the operating system denies access to /docs/a.txt'],
    EROFS: [403, 'the disk that holds /docs/a.txt is read-only'],
    ELOOP: [403, '/docs/a.txt is a symbolic link that cannot be followed'],
    EEXIST: [409, '/docs/a.txt already exists'],
    ENOTEMPTY: [409, '/docs/a.txt already exists'],
    EISDIR: [405, '/docs/a.txt is a folder'],
    ENAMETOOLONG: [400, 'this path is not valid: a name is too long'],
    EINVAL: [400, 'this path is not valid: the disk does not accept it'],
    EILSEQ: [400, 'this path is not valid: the disk does not accept it'],
    EBUSY: [423, '/docs/a.txt is in use by another request or program; try again in a moment'],
    EAGAIN: [423, '/docs/a.txt is in use by another request or program; try again in a moment'],
    ENOSPC: [507, 'no space left for /docs/a.txt'],
    EDQUOT: [507, 'the quota of the disk that holds /docs/a.txt is used up'],
    EFBIG: [413, '/docs/a.txt would exceed the maximum file size of its disk'],
    ENOTSUP: [422, 'the disk that holds /docs/a.txt does not support this operation'],
    EXDEV: [422, 'the disk that holds /docs/a.txt does not support this operation'],
    EMLINK: [422, 'the disk that holds /docs/a.txt does not support this operation'],
    EIO: [503, 'the disk that holds /docs/a.txt reports an error (EIO); see the log for details'],
    ENODEV: [503, 'the disk that holds /docs/a.txt reports an error (ENODEV); see the log for details'],
    'Unknown system error -117': [
      503,
      'the disk that holds /docs/a.txt reports an error (Unknown system error -117); see the log for details',
    ],
    ESTALE: [503, 'the disk that holds /docs/a.txt does not respond; try again later'],
    ENOLCK: [503, 'the server is busy; try again in a moment'],
    ENOMEM: [503, 'the server is busy; try again in a moment'],
    EMFILE: [503, 'the server is busy; try again in a moment'],
  } as const
  for (const [errno, [status, message]] of Object.entries(expected)) {
    t.match(problemOf(systemError(errno), '/docs/a.txt'), { status, message }, errno)
  }
})

t.test(
  'an error without a known meaning becomes a problem only when it comes from a call on a file',
  async (t) => {
    for (const errno of ['ECONNREFUSED', 'EADDRINUSE', 'EPROTO', 'Unknown system error -117']) {
      t.equal(problemOf(systemError(errno, 'connect'), '/b'), undefined, errno)
      t.equal(problemOf(systemError(errno, 'read'), '/b')?.code, 'disk.failed', errno)
    }
  },
)

t.test('a problem names the path that the user wrote, never a path of the host', async (t) => {
  const problem = problemOf(systemError('ENOENT'), '/docs/a.txt')
  t.equal(problem?.message, '/docs/a.txt does not exist')
  t.notMatch(JSON.stringify(problem?.details), 'host')
  t.match(problem?.cause, { code: 'ENOENT' }, 'the log can still report the cause')
})

t.test('a problem stays the same problem, and a bug stays a bug', async (t) => {
  const refusal = new Problem('path.exists', { path: '/a' })
  t.equal(problemOf(refusal, '/b'), refusal)
  for (const bug of [
    new TypeError('no'),
    systemError('ERR_INVALID_ARG_TYPE'),
    undefined,
    'text',
    { code: 7 },
  ]) {
    t.equal(problemOf(bug, '/b'), undefined)
    t.equal(errnoOf(bug), undefined)
  }
})

t.test('blocks, inodes or a quota make a disk full, as an error and as a problem', async (t) => {
  for (const errno of ['ENOSPC', 'EDQUOT']) {
    t.ok(isDiskFull(systemError(errno)))
    t.ok(isDiskFull(problemOf(systemError(errno), '/a')))
  }
  for (const other of [systemError('EROFS'), new Problem('path.exists'), new Error('full'), undefined])
    t.notOk(isDiskFull(other))
})

t.test('onPath turns a failed system call into a problem and rethrows any other error', async (t) => {
  await t.rejects(readFile(`${t.testdir()}/none`).catch(onPath('/none')), { code: 'path.unknown' })
  const bug = new TypeError('no')
  t.throws(() => onPath('/none')(bug), bug)
})

t.test('ignoreMissing rethrows all errors except a missing file', async (t) => {
  const folder = t.testdir()
  t.equal(await readFile(`${folder}/none`).catch(ignoreMissing), undefined)
  await t.rejects(readFile(folder).catch(ignoreMissing), { code: 'EISDIR' })
})
