import { useSnapshot } from 'valtio'
import { uploads } from '#web/features/uploads/queue/uploads-state.ts'

interface PageTitleProps {
  title: string
}

/** A page's title, behind how far the uploads are: who waits for them works in another tab. */
export function PageTitle({ title }: PageTitleProps) {
  const { percent } = useSnapshot(uploads)
  return <title>{percent ? `${percent} – ${title}` : title}</title>
}
