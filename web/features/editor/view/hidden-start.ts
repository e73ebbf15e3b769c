import { isolateHistory } from '@codemirror/commands'
import {
  EditorSelection,
  EditorState,
  type Extension,
  StateEffect,
  StateField,
  Text,
} from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'

const setHidden = StateEffect.define<number>()

/** The number of characters at the start that are hidden, because a form above the text shows them. */
const hidden = StateField.define<number>({
  create: () => 0,
  update(length, transaction) {
    const wanted = transaction.effects.find((effect) => effect.is(setHidden))
    return wanted ? wanted.value : transaction.changes.mapPos(length, -1)
  },
  provide: (field) =>
    EditorView.decorations.from(field, (length) =>
      // The line break after the hidden lines stays, so that the next line begins the visible text.
      length > 1 ? Decoration.set(Decoration.replace({ block: true }).range(0, length - 1)) : Decoration.none,
    ),
})

/** Hidden text changes only with the form, with undo, or when the whole text is replaced. */
const protection = EditorState.changeFilter.of((transaction) => {
  const length = transaction.startState.field(hidden)
  if (length === 0 || !['input', 'delete', 'move'].some((event) => transaction.isUserEvent(event)))
    return true
  let isHidden = false
  transaction.changes.iterChangedRanges((from) => {
    isHidden ||= from < length
  })
  return isHidden ? [0, length] : true
})

/** The cursor and the selection stay in the visible text. */
const cursorLimit = EditorState.transactionFilter.of((transaction) => {
  const { selection, startState, docChanged } = transaction
  const length = startState.field(hidden)
  if (!selection || docChanged || selection.ranges.every(({ from }) => from >= length)) return transaction
  const ranges = selection.ranges.map(({ anchor, head }) =>
    EditorSelection.range(Math.max(anchor, length), Math.max(head, length)),
  )
  return [transaction, { selection: EditorSelection.create(ranges, selection.mainIndex), sequential: true }]
})

/** Lets `hideStart` hide the start of the text. */
export const hiddenStart: Extension = [hidden, protection, cursorLimit]

/** Hides the first `length` characters, which must be whole lines; 0 shows everything. Returns whether it did so. */
export function hideStart(view: EditorView, length: number): boolean {
  const { doc, selection } = view.state
  const isWhole = length === 0 || (length <= doc.length && doc.lineAt(length).from === length)
  const next = isWhole ? length : 0
  if (next !== view.state.field(hidden)) {
    const isOutside = selection.main.from < next
    view.dispatch({ effects: setHidden.of(next), ...(isOutside && { selection: { anchor: next } }) })
  }
  return isWhole
}

/** Replaces the first `length` characters with `text`, as one change that can be undone. */
export function replaceStart(view: EditorView, length: number, text: string): void {
  const isHidden = view.state.field(hidden) > 0
  view.dispatch({
    changes: smallestChange(view.state.doc.sliceString(0, length), text),
    effects: isHidden ? setHidden.of(text.length) : [],
    annotations: isolateHistory.of('full'),
  })
}

/** The change from one text to another without their common start and end, so that the cursor stays in its place. */
export function smallestChange(before: string, after: string): { from: number; to: number; insert: Text } {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) from++
  let end = 0
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end++
  // Splits at line feeds only: with mixed line endings, lines keep their carriage returns.
  const insert = Text.of(after.slice(from, after.length - end).split('\n'))
  return { from, to: before.length - end, insert }
}
