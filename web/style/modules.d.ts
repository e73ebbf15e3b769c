declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  // biome-ignore lint/style/noDefaultExport: esbuild exports the class names of a style sheet as default.
  export default classes
}

declare module '*.css'

declare module '*.md' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: esbuild exports the text as default.
  export default text
}

declare module '*.po' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}

declare module '*.po?later' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}
