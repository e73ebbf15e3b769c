import { proxy } from 'valtio'
import type { FrontMatterView } from '#contract/publish.ts'
import { api } from '#web/api/client.ts'
import {
  createEdits,
  type FormText,
  maxLength,
  pauseMs,
  reasonOf,
  type TextTools,
} from './front-matter-edits.ts'

const empty: FrontMatterView = { format: '', fields: [], bodyStart: 0 }

/** The front matter of an open text. The server parses it. */
export function createFrontMatter(tools: TextTools) {
  const state = proxy({
    /** Undefined while it is unknown or cannot be read. */
    view: undefined as FrontMatterView | undefined,
    /** Why it cannot be read. */
    failure: '',
  })
  let text: FormText = { length: 0, sliceString: () => '' }
  /** The front matter as written, to which `state.view` belongs. */
  let start: string | undefined
  let parseTimer: ReturnType<typeof setTimeout> | undefined
  let parsing: AbortController | undefined

  function onText(next: FormText): void {
    text = next
    const mayStart = /^(---|\+\+\+|\{)/.test(text.sliceString(0, 3))
    const isKnown = start !== undefined && (start ? text.sliceString(0, start.length) === start : !mayStart)
    if (isKnown) return
    clearTimeout(parseTimer)
    parsing?.abort()
    if (mayStart) parseTimer = setTimeout(parse, start === undefined && !state.failure ? 0 : pauseMs)
    else adopt(empty, '')
  }

  function adopt(view: FrontMatterView, written: string): void {
    start = written
    Object.assign(state, { view, failure: '' })
  }

  async function parse(): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    parsing = controller
    const sent = text.sliceString(0, maxLength)
    try {
      const { view } = await api('POST /api/site/front-matter', { body: { text: sent } }, { signal })
      if (!signal.aborted) adopt(view, sent.slice(0, view.bodyStart))
    } catch (error) {
      if (signal.aborted) return
      start = undefined
      Object.assign(state, { view: undefined, failure: reasonOf(error) })
    }
  }

  /** Takes over what the server has written. */
  function onWritten(view: FrontMatterView, written: string): void {
    parsing?.abort()
    clearTimeout(parseTimer)
    adopt(view, written)
  }

  function close(): void {
    edits.close()
    clearTimeout(parseTimer)
    parsing?.abort()
  }

  const edits = createEdits(() => text, onWritten, tools)
  return { state, edits, onText, close }
}
