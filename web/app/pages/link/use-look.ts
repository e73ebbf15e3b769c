import { useLayoutEffect } from 'react'
import { useSnapshot } from 'valtio'
import type { ShareOffer } from '#contract/shares.ts'
import { tiles } from '#web/features/files/mosaic/tiles-state.ts'
import { visitorView } from '#web/features/files/state/view-mode.ts'
import { session } from '#web/shared/session.ts'
import { applyTheme } from '#web/shared/theme.ts'

/** A gallery has large pictures, in pixels, without names. */
const gallery = { size: 260, hasNames: false }

type Look = NonNullable<ShareOffer['look']>

/**
 * Shows a share as its sender wants it, until the visitor chooses something else or leaves. Users keep their own theme
 * and view, because the page is in their common layout.
 */
export function useLook({ view, theme }: Look = {}): void {
  const { user } = useSnapshot(session)
  const isVisitor = user === undefined
  useLayoutEffect(() => {
    if (!isVisitor || !theme) return
    applyTheme(theme)
    return () => applyTheme(session.user?.theme)
  }, [isVisitor, theme])
  useLayoutEffect(() => {
    if (!isVisitor || !view) return
    const before = { mode: visitorView.mode, ...tiles }
    visitorView.mode = view === 'list' ? 'list' : 'mosaic'
    if (view === 'gallery') Object.assign(tiles, gallery)
    return () => {
      const { mode, ...sizes } = before
      visitorView.mode = mode
      Object.assign(tiles, sizes)
    }
  }, [isVisitor, view])
}
