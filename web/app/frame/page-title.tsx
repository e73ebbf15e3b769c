import { useSnapshot } from 'valtio'
import { uploads } from '#web/features/uploads/queue/uploads-state.ts'

interface PageTitleProps {
  title: string
}

/** The title of the page, preceded by the progress of uploads, which is then visible in other tabs. */
export function PageTitle({ title }: PageTitleProps) {
  const { percent } = useSnapshot(uploads)
  return <title>{percent ? `${percent} – ${title}` : title}</title>
}
