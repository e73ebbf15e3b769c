import { useLingui } from '@lingui/react/macro'
import { CornerLeftUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { previewOf } from '#web/api/preview.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { createSemaphore } from '#web/shared/semaphore.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import { Name } from '#web/ui/name.tsx'
import styles from './link-form.module.css'

interface PicturePickerProps {
  id: string
  /** The folder that is shown first, with a slash at its end. */
  folder: string
  /** The chosen picture; empty: none. */
  chosen: string
  onChoose(path: string): void
}

/** Number of folders and pictures that are shown. The path of another one can be typed. */
const most = 200

/** Small pictures that are requested at once. */
const requests = createSemaphore(4)

/** Chooses a picture in the user's folders. */
export function PicturePicker({ id, folder: start, chosen, onChoose }: PicturePickerProps) {
  const { t } = useLingui()
  const [folder, setFolder] = useState(start)
  const { items, failure } = useChoices(folder)
  const shown = items?.slice(0, most)
  return (
    <section id={id} className={styles.picker} aria-label={t`Choose picture`}>
      <header>
        {folder !== '/' && (
          <Button
            variant="quiet"
            icon={CornerLeftUp}
            iconOnly
            label={t`Parent folder`}
            onClick={() => setFolder(parentOf(folder))}
          />
        )}
        <p>
          <bdi>{shownName(nameOf(folder)) || t`My files`}</bdi>
        </p>
      </header>
      {failure && <p role="alert">{failure}</p>}
      {items?.length === 0 && <p role="status">{t`There are no pictures here.`}</p>}
      <ul>
        {shown?.map((item) => (
          <li key={item.path}>
            <button
              type="button"
              aria-pressed={item.isDir ? undefined : item.path === chosen}
              onClick={() =>
                item.isDir ? setFolder(`${item.path.replace(/\/$/, '')}/`) : onChoose(item.path)
              }
            >
              {item.isDir ? <FileIcon {...item} size={32} isSaid /> : <Thumbnail item={item} />}
              <span data-full={item.name}>
                <Name name={item.name} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {items && items.length > most && (
        <p>{t`Only the first ones are shown. You can type the path instead.`}</p>
      )}
    </section>
  )
}

/** The folders and pictures in a folder; undefined until they are known. */
function useChoices(folder: string): { items?: readonly Item[]; failure?: string } {
  const { i18n } = useLingui()
  const [found, setFound] = useState<{ items?: readonly Item[]; failure?: string }>({})
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    setFound({})
    api('GET /api/resources/*', { params: { '*': folder }, query: {} }, { signal }).then(
      (answer) => {
        if (signal.aborted || !('items' in answer)) return
        setFound({ items: answer.items.filter(({ isDir, type }) => isDir || type === 'image') })
      },
      (error: unknown) => signal.aborted || setFound({ failure: i18n._(problemText(codeOf(error))) }),
    )
    return () => controller.abort()
  }, [folder, i18n])
  return found
}

/** A small version of a picture, requested when it is in view. */
function Thumbnail({ item }: { item: Item }) {
  const box = useRef<HTMLSpanElement>(null)
  const [address, setAddress] = useState<string>()
  const { path, modified } = item
  useEffect(() => {
    const element = box.current
    if (!element) return
    const controller = new AbortController()
    let made = ''
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      loadThumbnail({ path, key: modified }, controller.signal).then(
        (blob) => {
          if (controller.signal.aborted) return
          made = URL.createObjectURL(blob)
          setAddress(made)
        },
        // Without a smaller version, the icon stays.
        () => undefined,
      )
    })
    observer.observe(element)
    return () => {
      controller.abort()
      observer.disconnect()
      URL.revokeObjectURL(made)
    }
  }, [path, modified])
  return (
    <span ref={box} className={styles.face}>
      {address ? <img src={address} alt="" draggable={false} /> : <FileIcon {...item} size={32} />}
    </span>
  )
}

async function loadThumbnail(picture: { path: string; key: string }, signal: AbortSignal): Promise<Blob> {
  const release = await requests.acquire()
  try {
    signal.throwIfAborted()
    return await previewOf('thumb', picture, signal)
  } finally {
    release()
  }
}
