import { Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import t from 'tap'
import { ownChange } from '#web/shared/live/own-changes.ts'
import { editor } from './editor-state.ts'
import type { OpenText } from './held-text.ts'
import { noticeVersion } from './notice-version.ts'

/** An open text without unsaved changes, and what a check of its version did. */
function opened(versions: readonly (() => string | undefined)[]) {
  const doc = Text.of(['one'])
  const text = {
    view: { state: { doc } } as EditorView,
    saved: { doc, etag: '"1"' },
    runningSave: undefined,
    pending: undefined,
    isShown: true,
  } as OpenText
  let [reads, reloads] = [0, 0]
  editor.outside = undefined
  const check = () =>
    noticeVersion(
      text,
      async () => versions[reads++]?.(),
      async () => ++reloads > 0,
    )
  const changeTo = (etag: string) => Object.assign(text, { saved: { doc, etag } })
  return { check, changeTo, counts: () => ({ reads, reloads, outside: editor.outside }) }
}

t.test('a version that others have written is loaded, and the text says so', async (t) => {
  const { check, counts } = opened([() => '"2"'])
  await check()
  t.strictSame(counts(), { reads: 1, reloads: 1, outside: 'shown' })
})

t.test('a change of this page does not count as one of others, before and after its answer', async (t) => {
  const { check, changeTo, counts } = opened([() => '"2"'])
  let answer = () => {}
  const restored = ownChange(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve
      }),
  )
  const checked = check()
  await new Promise(setImmediate)
  t.equal(counts().reads, 0)
  answer()
  await restored
  // The page loads the new content right after the answer.
  await ownChange(async () => void changeTo('"2"'))
  await checked
  t.strictSame(counts(), { reads: 1, reloads: 0, outside: undefined })
})

t.test('a version that was read while this page changed the file is read again', async (t) => {
  const { check, changeTo, counts } = opened([
    () => {
      changeTo('"2"')
      return '"1"'
    },
    () => '"2"',
  ])
  await check()
  t.strictSame(counts(), { reads: 2, reloads: 0, outside: undefined })
})
