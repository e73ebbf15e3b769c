import { useLingui } from '@lingui/react/macro'
import { Link2, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import { submitForm } from '#web/shared/forms/submit.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Hint } from '#web/ui/form.tsx'
import { formatDate, formatNumber } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { lineList, useLines } from '#web/ui/line-list.tsx'
import { CopyLink } from './copy-link.tsx'
import { deleteShareFromList, loadShares, type OwnedShare, sharesState } from './links-state.ts'

/**
 * Number of shares shown at first and added by each press of the button. An administrator may see 1,000 for each user.
 */
const step = 200

/** The user's own shares, for administrators those of all users, with buttons to copy and delete them. */
export function SharesPage() {
  const { t, i18n } = useLingui()
  const { card } = useSettingTexts()
  const { list, failure } = useSnapshot(sharesState)
  const [limit, setLimit] = useState(step)
  const { ref, removeLine } = useLines(list?.length ?? 0)
  useEffect(() => void loadShares(), [])
  if (!list) return null
  const remove = (hash: string) => submitForm(t`Link deleted.`, () => deleteShareFromList(hash))
  const hidden = formatNumber(list.length - limit, i18n.locale)
  return (
    <Card {...card('links.list')}>
      {failure && <p role="alert">{failure}</p>}
      {!failure && list.length === 0 && <Hint>{t`No shared links.`}</Hint>}
      <ul ref={ref} className={lineList.list}>
        {list.slice(0, limit).map((link, at) => (
          <LinkLine key={link.hash} link={link} onEnd={() => removeLine(at, () => remove(link.hash))} />
        ))}
      </ul>
      {list.length > limit && (
        <Buttons>
          <Button label={t`Show more (${hidden})`} onClick={() => setLimit(limit + step)} />
        </Buttons>
      )}
    </Card>
  )
}

interface LinkLineProps {
  link: OwnedShare
  onEnd(): Promise<boolean>
}

function LinkLine({ link: { hash, path, owner, expire, hasPassword }, onEnd }: LinkLineProps) {
  const { t, i18n } = useLingui()
  const id = useId()
  const until = formatDate(expire * 1000, i18n.locale)
  const facts: [key: string, fact: ReactNode][] = [
    ['end', expire === 0 ? t`Permanent link` : t`Expires ${until}`],
    ...(hasPassword ? [['password', t`Password-protected`] as [string, ReactNode]] : []),
    ...(owner === undefined ? [] : [['owner', <bdi key="owner">{owner}</bdi>] as [string, ReactNode]]),
  ]
  return (
    <li>
      <Link2 size={20} strokeWidth={1.8} aria-hidden />
      <div>
        <p id={`${id}p`}>
          {/* The path of another user's share is relative to that user's folder. */}
          {owner === undefined ? (
            <PageLink to={paths.files(path)}>
              <bdi>{shownName(path)}</bdi>
            </PageLink>
          ) : (
            <bdi>{shownName(path)}</bdi>
          )}
        </p>
        <p className={lineList.detail}>
          {facts.map(([key, fact], at) => (
            <span key={key}>
              {at > 0 && ' · '}
              {fact}
            </span>
          ))}
        </p>
      </div>
      <CopyLink hash={hash} aria-describedby={`${id}p`} />
      <Button
        variant="quiet"
        icon={Trash2}
        iconOnly
        label={t`Delete link`}
        aria-describedby={`${id}p`}
        onClick={onEnd}
      />
    </li>
  )
}
