import { readFile } from 'node:fs/promises'
import t from 'tap'
import { errnoOf, ignoreMissing, onPath, problemOf } from './errno.ts'
import { Problem } from './problem.ts'

function failed(code: string): Error {
  return Object.assign(new Error(`${code}: /host/secret/place`), { code })
}

t.test('a failure of the system becomes the refusal that fits it', async (t) => {
  const expected = {
    ENOENT: 404,
    ENOTDIR: 404,
    EACCES: 403,
    EPERM: 403,
    EROFS: 403,
    EEXIST: 409,
    ENOTEMPTY: 409,
    EISDIR: 405,
    ELOOP: 403,
    ENAMETOOLONG: 400,
    EBUSY: 423,
    ENOSPC: 507,
    EDQUOT: 507,
    EMFILE: 503,
  }
  for (const [errno, status] of Object.entries(expected)) {
    const problem = problemOf(failed(errno), '/docs/a.txt')
    t.equal(problem?.status, status, errno)
    t.notMatch(problem?.message, 'undefined')
    t.notMatch(problem?.message, '{')
  }
})

t.test('a refusal names the path as the person wrote it, never a place of the host', async (t) => {
  const problem = problemOf(failed('ENOENT'), '/docs/a.txt')
  t.equal(problem?.message, '/docs/a.txt does not exist')
  t.notMatch(JSON.stringify(problem?.details), 'host')
  t.match(problem?.cause, { code: 'ENOENT' }, 'the log can still tell the whole story')
})

t.test('a refusal stays the refusal it is, and a bug stays a bug', async (t) => {
  const refusal = new Problem('path.exists', { path: '/a' })
  t.equal(problemOf(refusal, '/b'), refusal)
  for (const bug of [new TypeError('no'), failed('ERR_INVALID_ARG_TYPE'), undefined, 'text', { code: 7 }]) {
    t.equal(problemOf(bug, '/b'), undefined)
    t.equal(errnoOf(bug), undefined)
  }
  t.equal(problemOf(failed('EIO'), '/b'), undefined, 'a broken disk is told in the log and answers 500')
})

t.test('a failed call on a path is thrown on as its refusal, anything else as it is', async (t) => {
  await t.rejects(readFile(`${t.testdir()}/none`).catch(onPath('/none')), { code: 'path.unknown' })
  const bug = new TypeError('no')
  t.throws(() => onPath('/none')(bug), bug)
})

t.test('only a missing thing is ignored as missing', async (t) => {
  const folder = t.testdir()
  t.equal(await readFile(`${folder}/none`).catch(ignoreMissing), undefined)
  await t.rejects(readFile(folder).catch(ignoreMissing), { code: 'EISDIR' })
})
