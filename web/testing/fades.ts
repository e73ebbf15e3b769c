import type { Page } from 'playwright-core'

/** Waits until what fades in or out has done so: meanwhile its colours have less contrast. */
export async function endFades(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ends = ({ effect }: Animation) => {
      const { iterations, delay = 0 } = effect?.getComputedTiming() ?? {}
      // The message of a page that never starts has a delay of two minutes.
      return iterations !== Number.POSITIVE_INFINITY && delay < 60_000
    }
    await Promise.allSettled(
      document
        .getAnimations()
        .filter(ends)
        .map(({ finished }) => finished),
    )
  })
}
