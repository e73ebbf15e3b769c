// One chunk for looking at Markdown: it brings the parser.
export { Markdown } from '#web/features/preview/markdown/markdown.tsx'
