// One chunk for the text editor, which is as large as the whole first load. Languages are loaded one by one.
export { EditorPage } from '#web/features/editor/editor-page.tsx'
