import { useEffect, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { readSubtitle } from '#web/api/link-address.ts'
import { nameOf } from '#web/shared/paths.ts'

/** Subtitles of a video, ready for a player. */
export interface Subtitle {
  address: string
  /** The label in the player's menu. */
  label: string
  /** BCP 47; undefined when the file name contains no language. */
  language: string | undefined
}

/**
 * The subtitles of a video. They are all loaded at once: a player fetches a track only when the user selects it, and
 * the ticket in an address would have expired by then. `tag` is the language in which language names are shown.
 */
export function useSubtitles({ name, subtitles }: FileView, tag: string): readonly Subtitle[] {
  const [ready, setReady] = useState<readonly Subtitle[]>([])
  useEffect(() => {
    let isCancelled = false
    let loaded: Subtitle[] = []
    // Skips subtitles that cannot be read. The video plays without them.
    const all = (subtitles ?? []).map((path) => read(path, name, tag).catch(() => undefined))
    void Promise.all(all).then((found) => {
      loaded = found.filter((one) => one !== undefined)
      if (isCancelled) revoke(loaded)
      else setReady(loaded)
    })
    return () => {
      isCancelled = true
      revoke(loaded)
    }
  }, [name, subtitles, tag])
  return ready
}

async function read(path: string, film: string, tag: string): Promise<Subtitle> {
  const text = await readSubtitle(path)
  const address = URL.createObjectURL(new Blob([text], { type: 'text/vtt' }))
  return { address, ...labelOf(film, nameOf(path), tag) }
}

function revoke(subtitles: readonly Subtitle[]): void {
  for (const { address } of subtitles) URL.revokeObjectURL(address)
}

/**
 * The label and language of the subtitles `file` of the video `film`: `film.pt-BR.srt` is Brazilian Portuguese,
 * `film.notes.vtt` is “notes”.
 */
export function labelOf(film: string, file: string, tag: string): Omit<Subtitle, 'address'> {
  const [stem, bare] = [film, file].map((name) => name.replace(/\.[^.]*$/, '')) as [string, string]
  const suffix = (bare.startsWith(stem) ? bare.slice(stem.length) : bare).replace(/^[\s._-]+/, '')
  const language = /^[a-z]{2,3}([-_][a-z]{2,4})?$/i.test(suffix) ? suffix.replace('_', '-') : undefined
  const label = language && new Intl.DisplayNames(tag, { type: 'language' }).of(language)
  return { label: label ?? (suffix || file), language }
}
