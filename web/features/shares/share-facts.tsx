import { useLingui } from '@lingui/react/macro'
import { Fragment, type ReactNode } from 'react'
import type { ShareView } from '#contract/shares.ts'
import { rightsName } from './form/rights.ts'
import { stateOf, stateText } from './link-state.ts'
import styles from './share-dialog.module.css'

interface ShareFactsProps {
  link: ShareView
  /** The name of the owner, if it is another user. */
  owner?: string | undefined
  /** Words beside it say when the link ends, and whether it has a password. */
  isShort?: boolean
}

/** A link in words: its state, then what it allows. */
export function ShareFacts({ link, owner, isShort = false }: ShareFactsProps) {
  const { t, i18n } = useLingui()
  const { expire, hasPassword, title, rights } = link
  const state = stateText(link)
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['end', !isShort && expire === 0 && t`Permanent link`],
    [
      'state',
      state && (
        <span className={styles.state} data-state={stateOf(link, Date.now())}>
          {state}
        </span>
      ),
    ],
    ['rights', i18n._(rightsName(rights))],
    ['password', !isShort && hasPassword && t`Password-protected`],
    ['title', title],
    ['owner', owner !== undefined && t`Shared by ${owner}`],
  ]
  return facts
    .filter(([, fact]) => fact)
    .map(([key, fact], at) => (
      <Fragment key={key}>
        {at > 0 && ' · '}
        <bdi>{fact}</bdi>
      </Fragment>
    ))
}
