// One chunk for rendered Markdown, because it includes the parser.
export { Markdown } from '#web/features/preview/markdown/markdown.tsx'
