import { useSnapshot } from 'valtio'
import { uploads } from '#web/features/uploads/queue/uploads-state.ts'
import { shownName } from '#web/ui/format/shown-name.ts'

interface PageTitleProps {
  title: string
}

/** The title of the page, preceded by the progress of uploads, which is then visible in other tabs. */
export function PageTitle({ title }: PageTitleProps) {
  const { percent } = useSnapshot(uploads)
  const shown = shownName(title)
  return <title>{percent ? `${percent} – ${shown}` : shown}</title>
}
