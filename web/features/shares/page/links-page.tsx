import { useLingui } from '@lingui/react/macro'
import { Link2 } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import { ask } from '#web/overlays/ask.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import { Buttons, Card, Hint } from '#web/ui/form.tsx'
import { fold } from '#web/ui/format/fold.ts'
import { formatDate, formatNumber } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { lineList, useLines } from '#web/ui/line-list.tsx'
import { CopyLink } from '../copy-link.tsx'
import { LinkTools } from '../link-tools.tsx'
import { ShareFacts } from '../share-facts.tsx'
import { changeShare } from '../share-state.ts'
import { useFoundLine, useLinkInAddress } from './link-in-address.ts'
import styles from './links-page.module.css'
import { deleteShareFromList, loadShares, type OwnedShare, sharesState, showChanged } from './links-state.ts'

const ChangeLinkDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ChangeLinkDialog)

/**
 * Number of shares shown at first and added by each press of the button. An administrator may see 1,000 for each user.
 */
const step = 200

/** The user's own shares, for administrators those of all users, with buttons to copy, pause, change and delete them. */
export function SharesPage() {
  const { t, i18n } = useLingui()
  const { card } = useSettingTexts()
  const { list: all, failure } = useSnapshot(sharesState)
  const [filter, setFilter] = useState('')
  const [limit, setLimit] = useState(step)
  const { ref, removeLine } = useLines(all?.length ?? 0)
  useEffect(() => void loadShares(), [])
  const wanted = useLinkInAddress(failure ? undefined : (all as readonly OwnedShare[] | undefined), (at) =>
    setLimit((before) => Math.max(before, at + 1)),
  )
  if (!all) return null
  const remove = (hash: string) => submitForm(t`Link deleted.`, () => deleteShareFromList(hash))
  // The list is only read here.
  const list = (all as readonly OwnedShare[]).filter((link) => isNamed(link, filter))
  const hidden = formatNumber(list.length - limit, i18n.locale)
  return (
    <Card {...card('links.list')}>
      {failure && <p role="alert">{failure}</p>}
      {!failure && all.length === 0 && <Hint>{t`No shared links.`}</Hint>}
      {all.length > 1 && (
        <SearchField
          className={styles.filter}
          label={t`Filter by name`}
          placeholder={t`Filter by name`}
          value={filter}
          onChange={setFilter}
        />
      )}
      {all.length > 0 && list.length === 0 && <p role="status">{t`Nothing found`}</p>}
      <ul ref={ref} className={lineList.list}>
        {list.slice(0, limit).map((link, at) => (
          <LinkLine
            key={link.hash}
            link={link}
            isWanted={link.hash === wanted}
            onEnd={() => removeLine(at, () => remove(link.hash))}
          />
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

/** Whether the name, title or address of a link contains the text. */
function isNamed({ path, title = '', slug = '' }: OwnedShare, text: string): boolean {
  return [path, title, slug].some((one) => fold(one).includes(fold(text.trim())))
}

interface LinkLineProps {
  link: OwnedShare
  /** The address of the page leads to it. */
  isWanted: boolean
  onEnd(): Promise<boolean>
}

function LinkLine({ link, isWanted, onEnd }: LinkLineProps) {
  const { t, i18n } = useLingui()
  const { hash, path, owner, expire, hasPassword } = link
  const id = useId()
  const line = useFoundLine(isWanted)
  const until = formatDate(expire * 1000, i18n.locale)
  const before: [key: string, fact: ReactNode][] = [
    ['title', link.title],
    ['expiry', expire === 0 ? t`Permanent link` : t`Expires ${until}`],
    ['password', hasPassword && t`Password-protected`],
    ['owner', owner],
  ]
  return (
    <li ref={line}>
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
          <ShareFacts link={link} before={before} />
        </p>
      </div>
      <span className={styles.tools}>
        <CopyLink link={link} aria-describedby={`${id}p`} />
        <LinkTools
          link={link}
          about={`${id}p`}
          onPause={(paused) =>
            submitForm(paused ? t`Link paused.` : t`Link resumed.`, async () =>
              showChanged(await changeShare(hash, { paused })),
            )
          }
          // Only the server knows whether it is a folder, which may receive files.
          onChange={() =>
            void ask(ChangeLinkDialog, { link, isDir: true }).then(
              (changed) => changed && showChanged(changed),
            )
          }
          onEnd={onEnd}
        />
      </span>
    </li>
  )
}
