import { Trans as LinguiTrans, type TransProps } from '@lingui/react'

/**
 * Shows a message with elements. The macro `Trans` uses it (`locales/lingui.config.ts`). The library looks for tags after
 * it has inserted the values, so the text `<b>x</b>` of a user would become “x”. It does not look into a value that is no
 * string, such as a list of nodes.
 */
export function Trans({ values, ...props }: TransProps) {
  return <LinguiTrans {...props} {...(values && { values: withoutTags(values) })} />
}

function withoutTags(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && value.includes('<') ? [value] : value,
    ]),
  )
}
