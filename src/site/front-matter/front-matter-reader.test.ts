import t from 'tap'
import type { Principal } from '#src/access/principal.ts'
import { ProcessorTimeExceeded } from '#src/core/threads/processor-limit.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { changeFrontMatter, parseBlock } from './front-matter.ts'
import { createFrontMatterReader, frontMatterThreads } from './front-matter-reader.ts'
import type { FrontMatterResult, FrontMatterTask } from './front-matter-task.ts'

/** Front matter of nearly the largest size, from lines. */
function large(open: string, line: (n: number) => string, close: string): string {
  let text = open
  for (let n = 0; text.length < 30 * 1024; n++) text += line(n)
  return text + close
}

const largest = [
  large('+++\na = [\n', () => '1,\n', ']\n+++\n'),
  large('+++\na = """\n', () => '" \n', '"""\n+++\n'),
  large('+++\n', (n) => `a${n} = 1\n`, '+++\n'),
  large('---\n', (n) => `a${n}: 1\n`, '---\n'),
  large('---\na:\n', () => '  - b\n', '---\n'),
  large('{"a": [', () => '"\\"", ', '1]}\n'),
  // Before the last field: a search for the comma in front of it must not begin at each space.
  large('{"a": 1,', () => '  ', '"b": 2, "c": 3}\n'),
]

t.test('the work of a change does not grow with the number of changes', async (t) => {
  const changes = Array.from({ length: 32 }, (_, n) => ({ name: `new${n}`, value: n }))
  for (const text of largest) {
    let parsed = 0
    const parse: typeof parseBlock = (source, block) => {
      parsed += block.end - block.start
      return parseBlock(source, block)
    }
    const { view } = changeFrontMatter(text, changes, parse)
    t.match(view.fields.at(-1), { name: 'new31', value: 31 })
    t.ok(parsed <= 3 * text.length, `${parsed} characters for ${text.length}`)
  }
})

t.test('large front matter is read on a thread, one for each user, and for a limited time', async (t) => {
  const pool = createWorkerPool<FrontMatterTask, FrontMatterResult>('front-matter', frontMatterThreads)
  t.teardown(pool.close)
  const running: string[] = []
  let most = 0
  let tasks = 0
  const counted: Pick<typeof pool, 'run'> = {
    async run(task, how) {
      running.push('task')
      tasks++
      most = Math.max(most, running.length)
      return pool.run(task, how).finally(() => running.pop())
    },
  }
  const person = { quotaOwner: { key: '1' }, check: () => {} } as unknown as Principal
  const reader = createFrontMatterReader(counted)
  t.match(await reader.read(person, '---\ntitle: A\n---\n'), { format: 'yaml' })
  t.equal(tasks, 0, 'small front matter needs no thread')
  const body = 'x'.repeat(100_000)
  const changed = await Promise.all(
    largest.map((text) => reader.change(person, text + body, [{ name: 'z', value: 1 }])),
  )
  for (const { text } of changed) t.ok(text.endsWith(body), 'the text behind it stays')
  t.equal(tasks, largest.length)
  t.equal(most, 1, 'a user has one thread')
  await t.rejects(
    reader.read(
      person,
      large('---\na: 1\n', () => 'a: 1\n', '---\n'),
    ),
    {
      code: 'frontmatter.invalid',
      details: { reason: 'a is there twice' },
    },
  )
  const slow = createFrontMatterReader({
    run: async () => Promise.reject(new ProcessorTimeExceeded('more than 1 ms of processor time')),
  })
  await t.rejects(slow.read(person, largest[0] ?? ''), {
    code: 'frontmatter.invalid',
    details: { reason: 'it takes too long to read' },
  })
})
