import type { MarkedToken, Token, Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { InlineTokens } from './markdown-inlines.tsx'
import { plainText } from './markdown-links.ts'
import { maxDepth, type TokensProps } from './markdown-place.ts'

/** Renders block elements: paragraphs, lists, tables and so on. */
export function BlockTokens({ tokens, depth, ...place }: TokensProps): ReactNode {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parsed tokens have no other key.
    <Fragment key={at}>{block(token as MarkedToken, { ...place, depth: depth + 1 })}</Fragment>
  ))
}

type Place = Omit<TokensProps, 'tokens'>

function block(token: MarkedToken, place: Place): ReactNode {
  if (place.depth > maxDepth) return <p>{token.raw}</p>
  switch (token.type) {
    case 'heading':
      return heading(token, place)
    case 'paragraph':
      return (
        <p>
          <InlineTokens tokens={token.tokens} {...place} />
        </p>
      )
    case 'list':
      return list(token, place)
    case 'blockquote':
      return (
        <blockquote>
          <BlockTokens tokens={token.tokens} {...place} />
        </blockquote>
      )
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
        <pre tabIndex={0} dir="ltr">
          <code>{token.text}</code>
        </pre>
      )
    case 'table':
      return table(token, place)
    case 'hr':
      return <hr />
    case 'html':
      return htmlText(token.text)
    case 'space':
    case 'def':
      return null
    default:
      return <InlineTokens tokens={[token]} {...place} />
  }
}

/** The file name is the first heading of the page. Headings of the text are one level lower. */
function heading({ depth, tokens, text }: Tokens.Heading, place: Place): ReactNode {
  const level = Math.min(depth + 1, 6)
  const Heading = `h${level}` as 'h2'
  return (
    <Heading data-depth={depth} id={place.own?.idOf(text)}>
      <InlineTokens tokens={tokens} {...place} />
    </Heading>
  )
}

function list({ ordered, start, items }: Tokens.List, place: Place): ReactNode {
  const List = ordered ? 'ol' : 'ul'
  return (
    <List {...(ordered && { start: Number(start) || 1 })}>
      {items.map(({ task, checked, tokens }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        <li key={at} data-task={task || undefined}>
          {task && (
            <input type="checkbox" checked={checked ?? false} disabled aria-label={taskName(tokens)} />
          )}
          <BlockTokens tokens={tokens.filter(({ type }) => type !== 'checkbox')} {...place} />
        </li>
      ))}
    </List>
  )
}

function taskName(tokens: readonly Token[]): string {
  return tokens.map(({ raw }) => raw.trim()).join(' ') || '–'
}

function table({ header, rows, align }: Tokens.Table, place: Place): ReactNode {
  const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') => (
    <tr>
      {row.map(({ tokens }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        <Cell key={at} data-align={align[at] ?? undefined}>
          <InlineTokens tokens={tokens} {...place} />
        </Cell>
      ))}
    </tr>
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
    <figure tabIndex={0} data-scrolls>
      <table>
        <thead>{cells(header, 'th')}</thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <Fragment key={at}>{cells(row, 'td')}</Fragment>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

/** Shows only the text of HTML. */
function htmlText(html: string): ReactNode {
  const text = plainText(html)
  return text ? <p>{text}</p> : null
}
