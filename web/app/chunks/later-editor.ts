// One chunk for editing text: it weighs as much as the whole first load. Languages come one by one.
export { EditorPage } from '#web/features/editor/editor-page.tsx'
