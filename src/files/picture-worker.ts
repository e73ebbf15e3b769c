import { type PictureTask, render } from './pictures/render.ts'
import { serveTasks } from './serve-tasks.ts'

serveTasks(
  async (task: PictureTask) => {
    const { result, isSpent } = await render(task)
    const transfer = 'webp' in result ? [result.webp.buffer as ArrayBuffer] : []
    return { result, transfer, isLast: isSpent }
  },
  { isTimed: true },
)
