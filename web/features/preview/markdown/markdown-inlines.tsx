import type { MarkedToken, Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { PageLink } from '#web/shared/page-link.tsx'
import { href } from '#web/shared/paths.ts'
import { MarkdownImage } from './markdown-image.tsx'
import { decodeCharacterReferences, isLineBreak, linkTargetOf } from './markdown-links.ts'
import { maxDepth, type TokensProps } from './markdown-place.ts'

type Place = Omit<TokensProps, 'tokens'>

/** Renders inline elements: text, emphasis, links, pictures and so on. */
export function InlineTokens({ tokens, depth, ...place }: TokensProps): ReactNode {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parsed tokens have no other key.
    <Fragment key={at}>{inline(token as MarkedToken, { ...place, depth: depth + 1 })}</Fragment>
  ))
}

function inline(token: MarkedToken, place: Place): ReactNode {
  if (place.depth > maxDepth) return token.raw
  switch (token.type) {
    case 'text':
      return token.tokens ? (
        <InlineTokens tokens={token.tokens} {...place} />
      ) : (
        decodeCharacterReferences(token.text)
      )
    case 'escape':
      return decodeCharacterReferences(token.text)
    case 'strong':
      return (
        <strong>
          <InlineTokens tokens={token.tokens} {...place} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <InlineTokens tokens={token.tokens} {...place} />
        </em>
      )
    case 'del':
      return (
        <del>
          <InlineTokens tokens={token.tokens} {...place} />
        </del>
      )
    case 'codespan':
      return <code dir="ltr">{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token, place)
    case 'image':
      return <MarkdownImage href={token.href} alt={token.text} folder={place.folder} />
    case 'html':
      // Each HTML tag is its own token. The text between two tags is another token.
      return isLineBreak(token.raw) ? <br /> : null
    default:
      return token.raw
  }
}

/** Renders a link to a website, to a file of the same folder or to a page. Other links become plain text. */
function link({ href: written, title, tokens }: Tokens.Link, place: Place): ReactNode {
  const words = <InlineTokens tokens={tokens} {...place} />
  const page = place.own?.pageOf(written)
  if (page) return <PageLink to={page}>{words}</PageLink>
  const target = linkTargetOf(written, place.folder)
  if (!target) return words
  return (
    <a
      href={target.isOurs ? href(target.address) : target.address}
      title={title ?? undefined}
      target="_blank"
      rel="noopener noreferrer"
    >
      {words}
    </a>
  )
}
