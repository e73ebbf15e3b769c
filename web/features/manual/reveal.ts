import { type RefObject, useEffect, useRef } from 'react'
import { paths, withoutBase } from '#web/shared/paths.ts'
import type { Chapter } from './chapters.ts'

/** The events that change the address; wouter sends the first one. */
const changes = ['pushState', 'popstate', 'hashchange']

/**
 * Shows the section in the fragment of the address. When the user follows a link, the focus moves there too, or to the
 * beginning of the chapter, so that a screen reader and the Tab key go on there.
 *
 * @returns a function to call when a chapter or the list of chapters is in the page
 */
export function useReveal(article: RefObject<HTMLElement | null>, chapter: Chapter | undefined): () => void {
  const hasShown = useRef(false)
  useEffect(() => {
    const path = chapter ? paths.chapter(chapter.id) : paths.manual
    const onChange = () => {
      // The text of another chapter is not in the page yet.
      if (article.current && withoutBase(location.pathname) === path) reveal(article.current, true)
    }
    for (const change of changes) addEventListener(change, onChange)
    return () => {
      for (const change of changes) removeEventListener(change, onChange)
    }
  }, [article, chapter])
  return () => {
    if (article.current) reveal(article.current, hasShown.current)
    hasShown.current = true
  }
}

function reveal(article: HTMLElement, takesFocus: boolean): void {
  const section = sectionIn(article)
  const target = section ?? article
  if (section || takesFocus) scrollTo(target)
  if (!takesFocus) return
  target.tabIndex = -1
  target.focus({ preventScroll: true })
}

/** Scrolls the text alone. `scrollIntoView` would also scroll the elements around it, by fractions of a pixel. */
function scrollTo(target: HTMLElement): void {
  let box = target.parentElement
  while (box && getComputedStyle(box).overflowY !== 'auto') box = box.parentElement
  if (box) box.scrollTop += target.getBoundingClientRect().top - box.getBoundingClientRect().top - margin
}

/** The space above a section that is shown, in pixels. */
const margin = 16

function sectionIn(article: HTMLElement): HTMLElement | undefined {
  const id = location.hash.slice(1)
  return id ? (article.querySelector<HTMLElement>(`#${CSS.escape(id)}`) ?? undefined) : undefined
}
