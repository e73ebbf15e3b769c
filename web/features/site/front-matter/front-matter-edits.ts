import { i18n } from '@lingui/core'
import { proxy, ref } from 'valtio'
import type { FrontMatterChange, FrontMatterView } from '#contract/publish.ts'
import { ApiProblem, api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'

/** A text as CodeMirror has it. */
export interface FormText {
  readonly length: number
  sliceString(from: number, to?: number): string
}

/** What the form does with the text. */
export interface TextTools {
  /** Replaces the first `length` characters, as one change that can be undone. */
  replaceStart(length: number, text: string): void
  /** Counts changes as unsaved that the text does not contain yet; undefined: it contains them. */
  setPending(form: { flush(): Promise<boolean>; drop(): void } | undefined): void
}

/** A pause in typing, in milliseconds, after which the server is asked. */
export const pauseMs = 400
/** Only the start of a text is sent, in characters. The server reads front matter of at most 64 KiB. */
export const maxLength = 80 * 1024

/**
 * Changes of the form. The server writes them into the text after a pause in typing, or before the text is saved.
 *
 * @param onWritten called with the new front matter before the text contains it
 */
export function createEdits(
  textNow: () => FormText,
  onWritten: (view: FrontMatterView, written: string) => void,
  { replaceStart, setPending }: TextTools,
) {
  const state = proxy({
    /** Changes that the text does not contain yet, by field. */
    byName: ref<ReadonlyMap<string, FrontMatterChange>>(new Map()),
    /** Why the last change was refused. */
    refusal: '',
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<boolean> | undefined

  function edit(change: FrontMatterChange): void {
    state.byName = ref(new Map(state.byName).set(change.name, change))
    state.refusal = ''
    setPending({ flush, drop })
    clearTimeout(timer)
    timer = setTimeout(() => void flush(), pauseMs)
  }

  async function flush(): Promise<boolean> {
    clearTimeout(timer)
    while (writing) if (!(await writing)) return false
    if (state.byName.size === 0) return true
    writing = write().finally(() => {
      writing = undefined
    })
    return writing
  }

  async function write(): Promise<boolean> {
    const sent = state.byName
    const text = textNow()
    const before = text.sliceString(0, maxLength)
    try {
      const changes = [...sent.values()]
      const { text: after, view } = await api('POST /api/site/front-matter', {
        body: { text: before, changes },
      })
      const length = before.length - (after.length - view.bodyStart)
      // The user has discarded the changes meanwhile.
      if (state.byName.size === 0) return true
      // The user has edited the same lines meanwhile.
      if (textNow().sliceString(0, length) !== before.slice(0, length)) return write()
      const later = [...state.byName].filter(([name, edit]) => edit !== sent.get(name))
      state.byName = ref(new Map(later))
      onWritten(view, after.slice(0, view.bodyStart))
      replaceStart(length, after.slice(0, view.bodyStart))
      setPending(later.length > 0 ? { flush, drop } : undefined)
      return true
    } catch (error) {
      state.refusal = reasonOf(error)
      return false
    }
  }

  function drop(): void {
    clearTimeout(timer)
    Object.assign(state, { byName: ref(new Map()), refusal: '' })
  }

  function close(): void {
    clearTimeout(timer)
  }

  return { state, edit, flush, close }
}

/** The reason of the server, or the sentence of any other error. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  const isAboutText = code === 'frontmatter.invalid' && error instanceof ApiProblem
  const [, reason = ''] =
    (isAboutText && /^the front matter cannot be read: ([\s\S]+)/.exec(error.message)) || []
  return reason || i18n._(problemText(code))
}
