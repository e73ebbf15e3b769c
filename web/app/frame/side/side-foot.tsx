import { DiskUsage } from '#web/features/files/disk-usage.tsx'
import { lazy } from '#web/ui/lazy.tsx'

const BellButton = lazy(async () => (await import('#web/app/chunks/later-notices.ts')).BellButton)

interface SideFootProps {
  /** Called before something opens. Closes the drawer on narrow screens. */
  onAct(): void
}

/** What is above the account: the notices and the usage of the disk. */
export function SideFoot({ onAct }: SideFootProps) {
  return (
    <>
      <BellButton onAct={onAct} />
      <DiskUsage />
    </>
  )
}
