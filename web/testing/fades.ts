import type { Page } from 'playwright-core'

/** Waits until what fades in or out has done so: meanwhile its colours have less contrast. */
export async function endFades(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ends = ({ effect }: Animation) =>
      effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY
    await Promise.allSettled(
      document
        .getAnimations()
        .filter(ends)
        .map(({ finished }) => finished),
    )
  })
}
