import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChartNoAxesColumn, Link2 } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import { ask } from '#web/overlays/ask.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { nameOf, paths } from '#web/shared/paths.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { Buttons, Card, Hint } from '#web/ui/form.tsx'
import { fold } from '#web/ui/format/fold.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { lineList, useLines } from '#web/ui/line-list.tsx'
import { CopyLink } from '../copy-link.tsx'
import { LinkTools } from '../link-tools.tsx'
import { ShareFacts } from '../share-facts.tsx'
import { changeShare, folderOf } from '../share-state.ts'
import { useFoundLine, useLinkInAddress } from './link-in-address.ts'
import styles from './links-page.module.css'
import { deleteShareFromList, loadShares, type OwnedShare, sharesState, showChanged } from './links-state.ts'

const LinkUse = lazy(async () => (await import('#web/app/chunks/later-links.ts')).LinkUse)
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

/** Whether the name, title, address or owner of a link contains the text. */
function isNamed({ path, title = '', slug = '', owner = '' }: OwnedShare, text: string): boolean {
  return [path, title, slug, owner].some((one) => fold(one).includes(fold(text.trim())))
}

/** The icon of what is shared. */
function KindIcon({ link: { path, isDir } }: Pick<LinkLineProps, 'link'>) {
  if (isDir === undefined) return <Link2 size={20} strokeWidth={1.8} aria-hidden />
  const name = nameOf(path)
  return <FileIcon name={name} isDir={isDir} type="blob" />
}

/** What is shared: a path, or several items in a folder. */
function Target({ link: { path, paths: several } }: Pick<LinkLineProps, 'link'>) {
  const folder = shownName(path)
  if (!several) return <bdi>{folder}</bdi>
  return (
    <Trans>
      <Plural value={several.length} one="# item" other="# items" /> in <bdi>{folder}</bdi>
    </Trans>
  )
}

interface LinkLineProps {
  link: OwnedShare
  /** The address of the page leads to it. */
  isWanted: boolean
  onEnd(): Promise<boolean>
}

function LinkLine({ link, isWanted, onEnd }: LinkLineProps) {
  const { t } = useLingui()
  const { hash, path, owner } = link
  const id = useId()
  const line = useFoundLine(isWanted)
  const [showsUse, setShowsUse] = useState(false)
  return (
    <li ref={line}>
      <KindIcon link={link} />
      <div>
        <p id={`${id}p`}>
          {/* The path of another user's share is relative to that user's folder. */}
          {owner === undefined ? (
            <PageLink to={paths.files(link.paths ? folderOf({ path, isDir: true }) : path)}>
              <Target link={link} />
            </PageLink>
          ) : (
            <Target link={link} />
          )}
        </p>
        <p className={`${lineList.detail} ${styles.facts}`}>
          <ShareFacts link={link} owner={owner} />
        </p>
      </div>
      <span className={styles.tools}>
        <Button
          variant="quiet"
          icon={ChartNoAxesColumn}
          iconOnly
          label={t`How it was used`}
          aria-expanded={showsUse}
          aria-describedby={`${id}p`}
          onClick={() => setShowsUse(!showsUse)}
        />
        <CopyLink link={link} aria-describedby={`${id}p`} />
        <LinkTools
          link={link}
          about={`${id}p`}
          onPause={(paused) =>
            submitForm(paused ? t`Link paused.` : t`Link resumed.`, async () =>
              showChanged(await changeShare(hash, { paused })),
            )
          }
          onChange={() =>
            void ask(ChangeLinkDialog, {
              link,
              // An old link does not say whether it is a folder, which may receive files.
              isDir: link.isDir ?? true,
              isOfOther: owner !== undefined,
            }).then((changed) => changed && showChanged(changed))
          }
          onEnd={onEnd}
        />
      </span>
      {showsUse && (
        <div className={styles.use}>
          <LinkUse link={link} />
        </div>
      )}
    </li>
  )
}
