import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// All colours are design tokens, which adapt to light and dark.
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--paper)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--accent)', paddingBlock: 'var(--space-3)' },
  // Each line has its own writing direction.
  '.cm-line': { unicodeBidi: 'plaintext', paddingInline: 'var(--space-3)' },
  '.cm-content ::selection, .cm-line::selection': { backgroundColor: 'var(--accent-wash-strong)' },
  '.cm-gutters': {
    color: 'var(--ink-soft)',
    backgroundColor: 'var(--paper)',
    border: 'none',
    userSelect: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { paddingInline: 'var(--space-4) var(--space-1)', minWidth: '2.5rem' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-wash)' },
  '.cm-searchMatch': { backgroundColor: 'var(--found)', borderRadius: '2px' },
  '.cm-searchMatch.cm-searchMatch-selected': {
    backgroundColor: 'var(--found)',
    outline: '2px solid var(--accent)',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-wash-strong)',
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-wash)' },
  '.cm-specialChar': { color: 'var(--danger)' },
})

const panels = EditorView.theme({
  '.cm-panels': {
    color: 'var(--ink)',
    backgroundColor: 'var(--desk)',
    zIndex: '2',
    // The editor may have half of the window.
    containerType: 'inline-size',
  },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-dialog': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: 'var(--space-2)',
    paddingBlock: 'var(--space-2)',
    paddingInline: 'var(--space-3) calc(var(--control) + var(--space-3))',
    fontFamily: 'var(--font)',
    fontSize: 'var(--text)',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '@container (min-width: 62rem)': {
    '.cm-panel.cm-search': {
      display: 'grid',
      gridTemplateColumns: 'minmax(8rem, 20rem) repeat(6, auto)',
      justifyContent: 'start',
    },
    // The replace field has its own line.
    '.cm-panel.cm-search input[name=search], .cm-panel.cm-search input[name=replace]': { gridColumn: '1' },
  },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '0.25rem',
    fontSize: 'inherit',
  },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': { margin: '0' },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)', margin: '0' },
  '.cm-textfield': {
    flex: '1 1 9rem',
    maxWidth: '20rem',
    minWidth: '0',
    boxSizing: 'border-box',
    height: 'var(--control)',
    padding: '0 var(--space-3)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    color: 'var(--ink)',
    backgroundColor: 'var(--paper)',
    font: 'inherit',
  },
  '.cm-button': {
    height: 'var(--control)',
    padding: '0 var(--space-3)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    color: 'var(--ink)',
    background: 'var(--paper)',
    font: 'inherit',
    cursor: 'pointer',
  },
  '.cm-button:hover': { background: 'var(--hover)' },
  '.cm-button:active': { background: 'var(--sunken)' },
  '.cm-panel.cm-search [name=close], .cm-panel.cm-dialog .cm-dialog-close': {
    insetBlockStart: 'var(--space-2)',
    right: 'auto',
    insetInlineEnd: 'var(--space-2)',
    width: 'var(--control)',
    height: 'var(--control)',
    color: 'var(--ink-soft)',
    fontSize: '1.25rem',
    borderRadius: 'var(--radius)',
    cursor: 'pointer',
  },
  '.cm-panel :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
})

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.meta], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.inserted], color: 'var(--code-string)' },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom, tags.regexp, tags.escape, tags.unit, tags.color],
    color: 'var(--code-number)',
  },
  { tag: [tags.comment, tags.quote], color: 'var(--code-comment)', fontStyle: 'italic' },
  {
    tag: [tags.typeName, tags.className, tags.namespace, tags.tagName, tags.labelName, tags.macroName],
    color: 'var(--code-type)',
  },
  {
    tag: [tags.propertyName, tags.attributeName, tags.function(tags.variableName), tags.link, tags.url],
    color: 'var(--code-name)',
  },
  { tag: tags.deleted, color: 'var(--danger)' },
  { tag: tags.heading, fontWeight: '700', color: 'var(--code-name)' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.invalid, color: 'var(--danger)' },
])

/** The colours and layout of the editor, the same for all programming languages. */
export const editorTheme: Extension = [theme, panels, syntaxHighlighting(highlighting)]
